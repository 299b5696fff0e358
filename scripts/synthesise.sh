#!/usr/bin/env bash
# Open synthesis of a preset: scripts/synthesise.sh [PRESET] (default tiny), for iCE40 and ECP5.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)

"$top/scripts/install.sh" ci
modules=$top/build/npm
if [ ! -d "$modules/node_modules/@yowasp/yosys" ]; then
  mkdir -p "$modules"
  npm install --silent --no-fund --no-audit --prefix "$modules" @yowasp/yosys@0.55.944
fi
[ -f "$top/build/release/build.ninja" ] || (cd "$top" && cmake --preset release >/dev/null)
ninja -C "$top/build/release" --quiet variant
mapfile -t parameters < <("$top/build/release/variant" parameters "${1:-tiny}")
for target in ice40 ecp5; do
  echo "$target ..."
  TESSERA_NODE_MODULES=$modules node "$top/syn/synthesise.mjs" "$top/rtl" $target "${parameters[@]}"
done
