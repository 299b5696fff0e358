/// A product made of adders, for chips that have run out of multipliers. The same cycle.
module soft_multiplier (
    input  logic signed [ 8:0] weight_i,
    input  logic signed [ 7:0] feature_i,
    output logic signed [16:0] product_o
);

  // Row b adds the weight where bit b of the feature is set; a bit of the product is done with each. The last one counts negatively.
  logic [7:0][9:0] sums;
  assign sums[0] = feature_i[0] ? {weight_i[8], weight_i} : '0;
  for (genvar b = 1; b < 8; b++) begin : gen_rows
    masked_adder #(
        .Subtract(b == 7)
    ) u_row (
        .augend_i({sums[b-1][9], sums[b-1][9:1]}),
        .addend_i({weight_i[8], weight_i}),
        .enable_i(feature_i[b]),
        .sum_o(sums[b])
    );
    assign product_o[b-1] = sums[b-1][0];
  end
  assign product_o[16:7] = sums[7];

endmodule
