#!/usr/bin/env bash
# Verilator's lint of the accelerator and of the system that boots it: scripts/lint-rtl.sh PRESET...
set -euo pipefail
. "$(dirname "$0")/lib.sh"

mapfile -t boot < <(sed 's#^#boot/#' "$top/rtl/boot/files.f")
cd "$top/rtl"
for preset in "$@"; do
  echo "verilator lint: $preset"
  rtl_parameters "$preset"
  verilator --lint-only -Wall --no-timing --top-module tessera_npu \
    "${parameters[@]/#/-G}" lint.vlt -f files.f
  verilator --lint-only -Wall --no-timing --top-module tessera_boot \
    "${parameters[@]/#/-G}" lint.vlt -f files.f "${boot[@]}"
done
