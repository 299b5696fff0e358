/// masked_adder of ECP5 carry cells: the mask is part of the adder's own lookup tables, which synthesis does not find by itself.
module masked_adder #(
    parameter int unsigned Width = 10,
    parameter bit Subtract = 1'b0
) (
    input  logic [Width-1:0] augend_i,
    input  logic [Width-1:0] addend_i,
    input  logic             enable_i,
    output logic [Width-1:0] sum_o
);

  // With D high: A ^ (B & C), its complement when subtracting. Where that is 0 the carry is A.
  localparam logic [15:0] Table = Subtract ? 16'h95AA : 16'h6AAA;
  // The first half cell only brings the carry in: nothing where D is high, the carry is A.
  localparam logic [15:0] Begin = 16'h00AA;
  localparam int unsigned Pairs = (Width + 2) / 2;

  // With a bit below for the carry in, and above where there is a half cell left.
  logic [2*Pairs-1:0] augend, addend, sums;
  logic [Pairs:0] carry;
  assign augend = (2 * Pairs)'({augend_i, Subtract});
  assign addend = (2 * Pairs)'({addend_i, 1'b1});
  assign sum_o = sums[Width:1];
  assign carry[0] = Subtract;

  for (genvar i = 0; i < Pairs; i++) begin : gen_pairs
    CCU2C #(
        .INIT0(i == 0 ? Begin : Table),
        .INIT1(Table),
        .INJECT1_0("NO"),
        .INJECT1_1("NO")
    ) u_pair (
        .CIN(carry[i]),
        .A0(augend[2*i]),
        .B0(addend[2*i]),
        .C0(enable_i),
        .D0(1'b1),
        .A1(augend[2*i+1]),
        .B1(addend[2*i+1]),
        .C1(enable_i),
        .D1(1'b1),
        .S0(sums[2*i]),
        .S1(sums[2*i+1]),
        .COUT(carry[i+1])
    );
  end

endmodule
