/// The adders' product is the product.
module soft_multiplier_properties (
    input logic signed [8:0] weight_i,
    input logic signed [7:0] feature_i
);
  logic signed [16:0] product;
  soft_multiplier u_dut (
      .weight_i,
      .feature_i,
      .product_o(product)
  );
  always_comb product_is_true : assert (product == 17'(weight_i) * 17'(feature_i));
endmodule
