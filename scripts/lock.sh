#!/usr/bin/env bash
# Rewrite requirements.lock (base) and requirements-dev.lock (all extras) from pyproject.toml.
# One version of each package for all platforms and Pythons, with hashes, and without addresses.
set -euo pipefail
cd "$(dirname "$0")/.."

resolve() {
  .venv/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --fork-strategy fewest \
    --generate-hashes --no-header --no-emit-index-url --no-annotate --group build "$@"
}
resolve --output-file requirements.lock "$@"
resolve --all-extras --constraints requirements.lock --output-file requirements-dev.lock "$@"
