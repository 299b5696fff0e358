#!/usr/bin/env bash
# The multiplier made of adders gives all 131 072 products, with each form of its rows; a broken row is noticed. The products of the
# ECP5's own multipliers are right, whose register holds them.
# multiplier.sh BUILD-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
work=$1/fpga/multiplier
rm -rf "$work"
mkdir -p "$work"

# found NAME TEST SOURCE...: how many products are wrong.
found() {
  local name=$1 test=$2
  shift 2
  verilator --binary -Wno-fatal -Wno-lint --Mdir "$work/$name" --top-module "${test}_test" "$here/$test.sv" "$@" >"$work/$name.log" 2>&1
  "$work/$name/V${test}_test" | grep -o '^[0-9]* wrong'
}

# wrong NAME SOURCE...: with these rows.
wrong() {
  local name=$1
  shift
  found "$name" multiplier "$top/rtl/cells/soft_multiplier.sv" "$@"
}

test "$(found product product "$top/rtl/cells/registered_product.sv")" = "0 wrong"
hard=$top/rtl/fpga/ecp5/registered_product.sv
test "$(found hard product "$hard" "$here/mult18x18d.v")" = "0 wrong"
sed 's/REG_OUTPUT_CLK("CLK0")/REG_OUTPUT_CLK("NONE")/' "$hard" >"$work/registered_product.sv"
test "$(found unregistered product "$work/registered_product.sv" "$here/mult18x18d.v")" != "0 wrong"

test "$(wrong plain "$top/rtl/cells/masked_sum.sv")" = "0 wrong"
sed 's/first - second/first + second/' "$top/rtl/cells/masked_sum.sv" >"$work/masked_sum.sv"
test "$(wrong broken "$work/masked_sum.sv")" != "0 wrong"

# Of ECP5 cells, with Yosys' models of them.
cells=$(find "$top/build/fpga/venv" -path '*/share/*/ccu2c_sim.vh' 2>/dev/null | head -n 1 || true)
if [[ -z $cells ]]; then
  echo "skipped: no models of ECP5 cells (scripts/install.sh fpga gets them)"
  exit 77
fi
cat >"$work/cells.v" <<'CELLS'
module LUT4 #(parameter [15:0] INIT = 0)(input A, B, C, D, output Z); assign Z = INIT[{D, C, B, A}]; endmodule
module LUT2 #(parameter [3:0] INIT = 0)(input A, B, output Z); assign Z = INIT[{B, A}]; endmodule
CELLS
cp "$cells" "$work/ccu2c.v"
test "$(wrong ecp5 "$top/rtl/fpga/ecp5/masked_sum.sv" "$work/ccu2c.v" "$work/cells.v")" = "0 wrong"
echo "131 072 products are right with both rows"
