/// All products of the multiplier that is made of adders.
module multiplier_test;
  logic signed [8:0] weight;
  logic signed [7:0] feature;
  logic signed [16:0] product;
  int wrong = 0;

  soft_multiplier u_product (
      .weight_i (weight),
      .feature_i(feature),
      .product_o(product)
  );

  initial begin
    for (int w = -256; w < 256; w++) begin
      for (int f = -128; f < 128; f++) begin
        weight = 9'(w);
        feature = 8'(f);
        #1;
        if (product !== 17'(w * f)) wrong++;
      end
    end
    $display("%0d wrong products", wrong);
    $finish;
  end
endmodule
