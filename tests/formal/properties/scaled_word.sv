/// The sum of shifted words is the product, without what goes beyond its bits.
module scaled_word_properties #(
    parameter int unsigned Width = 20,
    parameter int unsigned FactorBits = 4
) (
    input logic [     Width-1:0] word_i,
    input logic [FactorBits-1:0] factor_i
);
  logic [Width-1:0] scaled;
  scaled_word #(
      .Width(Width),
      .FactorBits(FactorBits)
  ) u_dut (
      .word_i,
      .factor_i,
      .scaled_o(scaled)
  );
  always_comb scaled_is_product : assert (scaled == Width'(word_i * Width'(factor_i)));
endmodule
