/// masked_sum of ECP5 carry cells: both masks are part of the adder's own lookup tables, which synthesis does not find by itself.
module masked_sum #(
    parameter int unsigned Width = 10,
    parameter bit Subtract = 1'b0
) (
    input  logic [Width-1:0] first_i,
    input  logic             first_enable_i,
    input  logic [Width-1:0] second_i,
    input  logic             second_enable_i,
    output logic [Width-1:0] sum_o
);

  // (A & B) ^ (C & D), and what is subtracted is ~(A & B). Where that is 0 the carry is the first half of it, as it is with C and D low.
  localparam logic [15:0] Table = Subtract ? 16'h8777 : 16'h7888;
  // The first half cell only brings the carry in: nothing where D is high, the carry is A.
  localparam logic [15:0] Begin = 16'h00AA;
  localparam int unsigned Pairs = (Width + 2) / 2;

  // With a bit below for the carry in, and above where there is a half cell left.
  logic [2*Pairs-1:0] left, right, sums;
  logic left_enable, right_enable;
  logic [Pairs:0] carry;
  assign left = (2 * Pairs)'({Subtract ? second_i : first_i, Subtract});
  assign right = (2 * Pairs)'({Subtract ? first_i : second_i, 1'b1});
  assign left_enable = Subtract ? second_enable_i : first_enable_i;
  assign right_enable = Subtract ? first_enable_i : second_enable_i;
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
        .A0(left[2*i]),
        .B0(i == 0 ? 1'b1 : left_enable),
        .C0(right[2*i]),
        .D0(i == 0 ? 1'b1 : right_enable),
        .A1(left[2*i+1]),
        .B1(left_enable),
        .C1(right[2*i+1]),
        .D1(right_enable),
        .S0(sums[2*i]),
        .S1(sums[2*i+1]),
        .COUT(carry[i+1])
    );
  end

endmodule
