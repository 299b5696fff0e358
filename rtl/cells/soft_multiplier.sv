/// A product made of adders, for chips that have run out of multipliers. The same cycle.
(* sums_as_written *)
module soft_multiplier (
    input  logic signed [ 8:0] weight_i,
    input  logic signed [ 7:0] feature_i,
    output logic signed [16:0] product_o
);

  // Row b is the weight where bit b of the feature is set; the last one counts negatively. Two rows make a sum whose lowest bit is the
  // first one's; then sums of two and of four, behind each other three adders.
  logic [3:0][10:0] pairs;
  for (genvar p = 0; p < 4; p++) begin : gen_pairs
    assign pairs[p][0] = weight_i[0] && feature_i[2*p];
    masked_sum #(
        .Width(10),
        .Subtract(p == 3)
    ) u_rows (
        .first_i({{2{weight_i[8]}}, weight_i[8:1]}),
        .first_enable_i(feature_i[2*p]),
        .second_i({weight_i[8], weight_i}),
        .second_enable_i(feature_i[2*p+1]),
        .sum_o(pairs[p][10:1])
    );
  end

  logic [13:0] low;
  logic [12:0] high;
  assign low[1:0] = pairs[0][1:0];
  assign high[1:0] = pairs[2][1:0];
  assign low[13:2] = 12'($signed(pairs[0][10:2])) + 12'($signed(pairs[1]));
  assign high[12:2] = 11'($signed(pairs[2][10:2])) + $signed(pairs[3]);
  assign product_o[3:0] = low[3:0];
  assign product_o[16:4] = 13'($signed(low[13:4])) + 13'($signed(high));

endmodule
