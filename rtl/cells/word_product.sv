/// The signed product of two words, as four registered products of their halves: 17 lower bits without a sign, 15 upper ones.
module word_product (
    input  logic               clk_i,
    /// Takes the products of the operands.
    input  logic               enable_i,
    input  logic signed [31:0] first_i,
    input  logic signed [31:0] second_i,
    /// A cycle later.
    output logic signed [63:0] product_o
);

  logic signed [17:0] first_low, second_low;
  logic signed [14:0] first_high, second_high;
  logic signed [35:0] low_q;
  logic signed [32:0] crossed0_q, crossed1_q;
  logic signed [29:0] high_q;
  assign first_low = {1'b0, first_i[16:0]};
  assign first_high = first_i[31:17];
  assign second_low = {1'b0, second_i[16:0]};
  assign second_high = second_i[31:17];
  registered_product #(
      .FirstBits (18),
      .SecondBits(18)
  ) u_low (
      .clk_i,
      .enable_i,
      .first_i  (first_low),
      .second_i (second_low),
      .product_o(low_q)
  );
  registered_product #(
      .FirstBits (18),
      .SecondBits(15)
  ) u_crossed0 (
      .clk_i,
      .enable_i,
      .first_i  (first_low),
      .second_i (second_high),
      .product_o(crossed0_q)
  );
  registered_product #(
      .FirstBits (15),
      .SecondBits(18)
  ) u_crossed1 (
      .clk_i,
      .enable_i,
      .first_i  (first_high),
      .second_i (second_low),
      .product_o(crossed1_q)
  );
  registered_product #(
      .FirstBits (15),
      .SecondBits(15)
  ) u_high (
      .clk_i,
      .enable_i,
      .first_i  (first_high),
      .second_i (second_high),
      .product_o(high_q)
  );
  // Nothing is added to the lowest bits.
  logic signed [33:0] crossed;
  logic signed [46:0] upper;
  assign crossed = 34'(crossed0_q) + 34'(crossed1_q);
  assign upper = $signed({high_q, low_q[33:17]}) + 47'(crossed);
  assign product_o = {upper, low_q[16:0]};

  logic unused;
  assign unused = ^low_q[35:34];

endmodule
