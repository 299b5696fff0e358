/// Drawn products in a register, taken and not taken: what is not taken stays where it has to.
module product_test;
  logic clk = 0, enable = 0;
  logic signed [17:0] wide_first, wide_second;
  logic signed [35:0] wide, wide_expected;
  logic signed [8:0] first;
  logic signed [7:0] second;
  logic signed [16:0] product, expected;
  int wrong = 0;

  registered_product #(
      .Holds(1'b1)
  ) u_wide (
      .clk_i(clk),
      .enable_i(enable),
      .first_i(wide_first),
      .second_i(wide_second),
      .product_o(wide)
  );
  registered_product #(
      .FirstBits (9),
      .SecondBits(8)
  ) u_product (
      .clk_i(clk),
      .enable_i(enable),
      .first_i(first),
      .second_i(second),
      .product_o(product)
  );

  initial begin
    for (int i = 0; i < 100000; i++) begin
      wide_first = 18'($urandom);
      wide_second = 18'($urandom);
      first = 9'($urandom);
      second = 8'($urandom);
      enable = i == 0 || 1'($urandom);
      if (enable) begin
        wide_expected = wide_first * wide_second;
        expected = first * second;
      end
      #1 clk = 1;
      #1 clk = 0;
      if (wide !== wide_expected || (enable && product !== expected)) wrong++;
    end
    $display("%0d wrong products", wrong);
    $finish;
  end
endmodule
