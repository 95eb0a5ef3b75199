#!/usr/bin/env bash
# Install, through apt, the programs named that this machine lacks: python venv java simulator compiler emulator browser cells
# Where apt can't help, say what is missing. Tests that need it are then skipped with a reason, but fail under CI=true.
set -euo pipefail

has() { command -v "$1" >/dev/null 2>&1; }

runs() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

java_major() { java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1; }

present() {
  case "$1" in
    python) runs python3 || runs python3.12 || runs python3.11 ;;
    venv) "${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null ;;
    java) has java && [ "$(java_major)" -ge 17 ] ;; # the least that Spark 4 runs on
    simulator) has iverilog && has vvp ;;
    compiler) has c++ && has make ;; # what Verilator writes
    emulator) has qemu-riscv64 && has qemu-riscv32 ;;
    browser) { has chromium || has google-chrome; } && has chromedriver ;;
    cells) [ -f /usr/share/qflow/tech/osu018/osu018_stdcells.lib ] ;; # for synthesis
    *) echo "usage: $0 [python] [venv] [java] [simulator] [compiler] [emulator] [browser] [cells]" >&2; exit 2 ;;
  esac
}

# Alternatives are separated by '|', tried in order: releases of Debian and Ubuntu differ in what they ship.
packages() {
  case "$1" in
    python) echo "python3 python3-venv|python3.12 python3.12-venv|python3.11 python3.11-venv" ;;
    venv) echo "$("${PYTHON:-python3}" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')|python3-venv" ;;
    java) echo "openjdk-17-jre-headless|openjdk-21-jre-headless|default-jre-headless" ;;
    simulator) echo "iverilog" ;;
    compiler) echo "g++ make" ;;
    emulator) echo "qemu-user|qemu-user-static" ;;
    browser) echo "chromium chromium-driver" ;;
    cells) echo "qflow-tech-osu018" ;;
  esac
}

root=()
if [ "$(id -u)" != 0 ]; then root=(sudo); [ -t 0 ] || root=(sudo -n); fi
updated=false

apt_install() {
  has apt-get || return 1
  [ "${#root[@]}" = 0 ] || has sudo || return 1
  if ! $updated; then
    "${root[@]}" apt-get update -q -o Acquire::Retries=3 >/dev/null || return 1
    updated=true
  fi
  apt-get install --simulate "$@" >/dev/null 2>&1 || return 1 # this release has no such package
  echo "scalein: installing $* (apt)"
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends -o Acquire::Retries=3 "$@" >/dev/null
}

missing=()
for need in "$@"; do
  present "$need" && continue
  IFS='|' read -r -a choices <<< "$(packages "$need")"
  for choice in "${choices[@]}"; do
    # shellcheck disable=SC2086  # a choice is one or more package names
    apt_install $choice && present "$need" && break
  done
  present "$need" || missing+=("$need (packages: ${choices[*]})")
done

if [ "${#missing[@]}" != 0 ]; then
  printf 'scalein: missing, and apt could not install it: %s\n' "${missing[@]}" >&2
  [ "${CI:-}" != true ] || exit 1
fi
