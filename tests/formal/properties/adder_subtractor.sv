/// The sum is what the operator says, without what goes beyond its bits.
module adder_subtractor_properties #(
    parameter int unsigned Width = 32
) (
    input logic [Width-1:0] augend_i,
    input logic [Width-1:0] addend_i,
    input logic             subtract_i
);
  logic [Width-1:0] sum;
  adder_subtractor #(
      .Width(Width)
  ) u_dut (
      .augend_i,
      .addend_i,
      .subtract_i,
      .sum_o(sum)
  );
  always_comb sum_is_true : assert (sum == (subtract_i ? augend_i - addend_i : augend_i + addend_i));
endmodule
