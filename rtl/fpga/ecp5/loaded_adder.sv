/// loaded_adder of ECP5 carry cells: the choice is part of the adder's own lookup tables, which synthesis does not find by itself.
module loaded_adder #(
    parameter int unsigned Width = 10
) (
    input  logic             load_i,
    input  logic [Width-1:0] value_i,
    input  logic [Width-1:0] augend_i,
    input  logic [Width-1:0] addend_i,
    output logic [Width-1:0] sum_o
);

  // A: augend, B: load, C: value, D: addend. B ? C : A ^ D, to which no carry comes while something is loaded: where that is 0 the
  // carry is A & ~B, the table's lowest four bits.
  localparam logic [15:0] Table = 16'hD1E2;
  localparam int unsigned Pairs = (Width + 2) / 2;

  // The first half cell only makes a carry of 0; above there may be a half cell left.
  logic [2*Pairs-1:0] value, augend, addend, sums;
  logic [Pairs:0] carry;
  assign value = (2 * Pairs)'({value_i, 1'b0});
  assign augend = (2 * Pairs)'({augend_i, 1'b0});
  assign addend = (2 * Pairs)'({addend_i, 1'b0});
  assign sum_o = sums[Width:1];
  assign carry[0] = 1'b0;

  for (genvar i = 0; i < Pairs; i++) begin : gen_pairs
    CCU2C #(
        .INIT0(i == 0 ? 16'h0000 : Table),
        .INIT1(Table),
        .INJECT1_0("NO"),
        .INJECT1_1("NO")
    ) u_pair (
        .CIN(carry[i]),
        .A0(augend[2*i]),
        .B0(load_i),
        .C0(value[2*i]),
        .D0(addend[2*i]),
        .A1(augend[2*i+1]),
        .B1(load_i),
        .C1(value[2*i+1]),
        .D1(addend[2*i+1]),
        .S0(sums[2*i]),
        .S1(sums[2*i+1]),
        .COUT(carry[i+1])
    );
  end

endmodule
