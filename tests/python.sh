#!/usr/bin/env bash
# Runs one of the checks of the Python package: python.sh wheel|try|test|notebooks|site
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
if [[ ! -x $top/build/python/venv/bin/python ]]; then
  echo "skipped: no Python with the package's tools (scripts/install.sh python gets them)"
  exit 77
fi
exec "$top/scripts/python.sh" "$@"
