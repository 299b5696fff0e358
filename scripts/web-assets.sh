#!/usr/bin/env bash
# Fetches the charting library that `cosim --report` puts into its pages, from npm.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

target=$top/build/web
library=$target/node_modules/echarts/dist/echarts.min.js
[ -f "$library" ] && exit 0
"$top/scripts/install.sh" web
mkdir -p "$target"
npm install --silent --no-fund --no-audit --ignore-scripts --no-save --prefix "$target" echarts@5.6.0
[ -f "$library" ] || { echo "echarts could not be fetched from npm" >&2; exit 1; }
