#!/usr/bin/env bash
# Open synthesis of a preset: scripts/synthesise.sh [PRESET] (default tiny), for iCE40 and ECP5.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

"$top/scripts/install.sh" ci
modules=$top/build/npm
if [ ! -d "$modules/node_modules/@yowasp/yosys" ]; then
  mkdir -p "$modules"
  npm install --silent --no-fund --no-audit --prefix "$modules" @yowasp/yosys@0.55.944
fi
rtl_parameters "${1:-tiny}"
for target in ice40 ecp5; do
  echo "$target ..."
  TESSERA_NODE_MODULES=$modules node "$top/syn/synthesise.mjs" "$top/rtl" $target "${parameters[@]}"
done
