/// The sum is that of all terms, one after the other.
module adder_tree_properties #(
    parameter int unsigned Terms = 5,
    parameter int unsigned Width = 4
) (
    input logic [Terms-1:0][Width-1:0] terms_i
);
  localparam int unsigned SumBits = Width + $clog2(Terms);
  logic [SumBits-1:0] sum, all;
  adder_tree #(
      .Terms(Terms),
      .Width(Width)
  ) u_dut (
      .terms_i,
      .sum_o(sum)
  );
  always_comb begin
    all = '0;
    for (int unsigned t = 0; t < Terms; t++) all = all + {{(SumBits - Width) {terms_i[t][Width-1]}}, terms_i[t]};
  end
  always_comb sum_is_true : assert (sum == all);
endmodule
