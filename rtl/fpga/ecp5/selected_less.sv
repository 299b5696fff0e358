/// selected_less of ECP5 carry cells: the choice is part of the comparison's own lookup tables, which synthesis does not find by
/// itself.
module selected_less #(
    parameter int unsigned Width = 10
) (
    input  logic [Width-1:0] word_i,
    input  logic             select_i,
    input  logic [Width-1:0] first_i,
    input  logic [Width-1:0] second_i,
    output logic             less_o
);

  // A: word, B: select, C: first, D: second. ~A ^ (B ? D : C): of the sum of the other one and the word's complement, whose carry
  // says it. Where that is 0 the carry is ~A, which the table's lowest four bits say, too.
  localparam logic [15:0] Table = 16'hA965;
  // With all low: 0, and no carry of its own.
  localparam logic [15:0] Out = 16'h0000;
  localparam int unsigned Pairs = (Width + 3) / 2;

  // The first half cell only makes a carry of 0; in the one above the last bit the carry is its sum.
  logic [2*Pairs-1:0] word, first, second, sums;
  logic [Pairs:0] carry;
  assign word = (2 * Pairs)'({word_i, 1'b0});
  assign first = (2 * Pairs)'({first_i, 1'b0});
  assign second = (2 * Pairs)'({second_i, 1'b0});
  assign less_o = sums[Width+1];
  assign carry[0] = 1'b0;

  for (genvar i = 0; i < Pairs; i++) begin : gen_pairs
    CCU2C #(
        .INIT0((i == 0 || 2 * i > Width) ? Out : Table),
        .INIT1((2 * i + 1 > Width) ? Out : Table),
        .INJECT1_0("NO"),
        .INJECT1_1("NO")
    ) u_pair (
        .CIN(carry[i]),
        .A0(word[2*i]),
        .B0(select_i),
        .C0(first[2*i]),
        .D0(second[2*i]),
        .A1(word[2*i+1]),
        .B1(select_i),
        .C1(first[2*i+1]),
        .D1(second[2*i+1]),
        .S0(sums[2*i]),
        .S1(sums[2*i+1]),
        .COUT(carry[i+1])
    );
  end

endmodule
