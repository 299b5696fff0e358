#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests: scripts/test.sh [ctest's arguments]
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh test
scripts/web-assets.sh || echo "without the charting library, tests of pages are skipped"
[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
ninja -C build/release
exec ctest --preset release -j "$(nproc)" "$@"
