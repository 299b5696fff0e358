/// A word times a small factor, modulo 2^Width: a sum of shifted words, so that the chip's multipliers are left to the array.
module scaled_word #(
    parameter int unsigned Width = 20,
    parameter int unsigned FactorBits = 4
) (
    input  logic [     Width-1:0] word_i,
    input  logic [FactorBits-1:0] factor_i,
    output logic [     Width-1:0] scaled_o
);

  logic [FactorBits-1:0][Width-1:0] sums  /* verilator split_var */;
  assign sums[0]  = factor_i[0] ? word_i : '0;
  assign scaled_o = sums[FactorBits-1];
  for (genvar b = 1; b < FactorBits; b++) begin : gen_rows
    // Bits below the row's own are done.
    assign sums[b][b-1:0] = sums[b-1][b-1:0];
    masked_adder #(
        .Width(Width - b)
    ) u_row (
        .augend_i(sums[b-1][Width-1:b]),
        .addend_i(word_i[Width-1-b:0]),
        .enable_i(factor_i[b]),
        .sum_o(sums[b][Width-1:b])
    );
  end

endmodule
