#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests: scripts/test.sh [ctest's arguments]
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$top"

scripts/install.sh test
scripts/web-assets.sh || echo "without the charting library, tests of pages are skipped"
build_all
exec ctest --preset release -j "$(nproc)" "$@"
