#!/usr/bin/env bash
# Make .venv ready: `scripts/environment.sh base` (to run) or `dev` (to test and change).
# Installs exactly what requirements.lock or requirements-dev.lock name, by hash. Does nothing when they did not change.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  base) lock=requirements.lock note="base packages, about 150 MB" ;;
  dev) lock=requirements-dev.lock note="packages for tests and tools, about 900 MB" ;;
  *) echo "usage: $0 base|dev" >&2; exit 2 ;;
esac
venv=$PWD/.venv
# Numba 0.68 has wheels for CPython 3.11 to 3.14.
supported='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'

find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
    if "$candidate" -c "$supported" 2>/dev/null; then echo "$candidate"; return; fi
  done
  return 1
}

make_venv() {
  local python
  if ! python=$(find_python); then
    scripts/system-packages.sh python >&2
    python=$(find_python) || { echo "scalein: needs Python 3.11 to 3.14; set PYTHON=/path/to/python3" >&2; exit 1; }
  fi
  if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    PYTHON=$python scripts/system-packages.sh venv
  fi
  echo "scalein: making .venv with $("$python" --version)"
  "$python" -m venv --clear "$venv"
  echo "$PWD" > "$venv/.project"
}

# A moved or copied folder, or a Python that is gone, makes a venv useless.
if ! { "$venv/bin/python" -c "$supported" && [ "$(cat "$venv/.project")" = "$PWD" ]; } 2>/dev/null; then
  make_venv
fi

key=$({ "$venv/bin/python" --version; cat "$lock" pyproject.toml; } | sha256sum)
stamp=$venv/.installed-$1
if [ "$(cat "$stamp" 2>/dev/null)" != "$key" ]; then
  echo "scalein: installing $lock ($note)"
  pip=("$venv/bin/python" -m pip --disable-pip-version-check --no-input --quiet)
  # setuptools first: the lock pins it, and with it nothing is built in an environment of unpinned packages.
  sed -n '/^setuptools==/,/[^\\]$/p' "$lock" > "$venv/.setuptools.lock"
  "${pip[@]}" install --require-hashes -r "$venv/.setuptools.lock"
  "${pip[@]}" install --require-hashes --no-build-isolation -r "$lock"
  "${pip[@]}" install --no-deps --no-build-isolation -e .
  echo "$key" > "$stamp"
fi
