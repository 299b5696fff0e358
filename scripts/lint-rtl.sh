#!/usr/bin/env bash
# Verilator's lint of the accelerator, of the system that boots it, of what places it alone, and of the boards' systems:
# scripts/lint-rtl.sh PRESET...
set -euo pipefail
. "$(dirname "$0")/lib.sh"

mapfile -t fpga < <(sed 's#^#fpga/#' "$top/rtl/fpga/files.f")
mapfile -t boot < <(sed 's#^#boot/#' "$top/rtl/boot/files.f")
cd "$top/rtl"
# Yosys 0.70 reads ~N'(x) as N'(x), without a word.
if grep -rnE "[~!] *[A-Za-z_0-9:]+'\(" --include='*.sv' --include='*.v' .; then
  echo "an operator in front of a cast, which Yosys leaves out: put the cast into parentheses" >&2
  exit 1
fi
for preset in "$@"; do
  echo "verilator lint: $preset"
  rtl_parameters "$preset"
  verilator --lint-only -Wall --no-timing --top-module tessera_npu \
    "${parameters[@]/#/-G}" lint.vlt "${sources[@]}"
  verilator --lint-only -Wall --no-timing --top-module tessera_boot \
    "${parameters[@]/#/-G}" lint.vlt "${sources[@]}" "${boot[@]}"
  verilator --lint-only -Wall --no-timing --top-module harness \
    "${parameters[@]/#/-G}" lint.vlt "${sources[@]}" "${fpga[@]}"
done

for board in "$top"/configs/boards/*/; do
  name=$(basename "$board")
  echo "verilator lint: $name"
  mapfile -t board_sources < <("$build/variant" board "$name")
  verilator --lint-only -Wall --no-timing -Wno-UNUSEDPARAM --top-module top lint.vlt "${board_sources[@]}"
  mapfile -t alone < <("$build/variant" standalone "$name")
  if [ ${#alone[@]} -gt 0 ]; then
    echo "verilator lint: $name without a host"
    verilator --lint-only -Wall --no-timing -Wno-UNUSEDPARAM -Wno-DECLFILENAME --top-module top lint.vlt "${alone[@]}"
  fi
done
