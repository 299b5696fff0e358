#!/usr/bin/env bash
# Prepares the Python with which tests/zoo makes its models: scripts/zoo-python.sh. `ctest -L zoo` finds it there.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/zoo/venv
if ! cmp -s tests/zoo/requirements.txt "$venv/requirements.txt"; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r tests/zoo/requirements.txt
  cp tests/zoo/requirements.txt "$venv/requirements.txt"
fi
