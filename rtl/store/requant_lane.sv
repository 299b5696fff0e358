/// One lane of the requantiser: bias, fixed-point multiplier with rounding doubled high multiply,
/// rounding right shift, zero point, clamp. Bit-exact with TensorFlow Lite's reference kernels
/// (gemmlowp's double rounding), or rounded once. Six cycles from `acc_i` to `data_o`.
module requant_lane #(
    /// Can round once.
    parameter bit SingleRounding = 1'b1
) (
    input  logic               clk_i,
    /// Stage enables: bit i is high when stage i holds data.
    input  logic        [ 5:0] stage_i,
    input  logic signed [31:0] acc_i,
    /// What comes through the lane again: that instead of `acc_i`.
    input  logic               again_i,
    input  logic signed [31:0] again_acc_i,
    input  logic signed [31:0] bias_i,
    /// Multiplier in units of 2^-31.
    input  logic signed [31:0] multiplier_i,
    /// Left shift when positive, right shift when negative; -31 to 30.
    input  logic signed [ 7:0] shift_i,
    /// StQuantRounding; the same as long as there is data.
    input  logic        [ 1:0] rounding_i,
    /// With the last stage: the clamp, with the output's zero point.
    input  store_pkg::clamp_t  clamp_i,
    output logic        [ 7:0] data_o
);

  logic [4:0] left, right;
  assign left  = (shift_i > 0) ? shift_i[4:0] : 5'd0;
  assign right = (shift_i < 0) ? 5'(-shift_i) : 5'd0;

  logic signed [31:0] acc_q, again_acc_q, bias_q, biased, scaled_q, multiplier0_q, multiplier_q;
  logic again_q;
  logic [4:0] left_q, right0_q, right1_q, right2_q, right3_q;
  logic signed [63:0] product;
  logic signed [33:0] product_q;  // without its lowest 30 bits
  logic signed [33:0] coarse_q;
  logic [2:0] fine_q;
  logic [7:0] data_q;

  selected_adder #(
      .Width(32)
  ) u_biased (
      .augend_i(bias_q),
      .select_i(again_q),
      .first_i (acc_q),
      .second_i(again_acc_q),
      .sum_o   (biased)
  );

  word_product u_product (
      .clk_i,
      .enable_i (stage_i[2]),
      .first_i  (scaled_q),
      .second_i (multiplier_q),
      .product_o(product)
  );

  // The doubled high half, rounded half up (the nudge of negative products and truncation come to the same), is the
  // product's upper bits and its bit 30. A right shift rounds half away from zero: half up after a negative value is made less
  // by one. Both corrections meet in one addition. A product from -2^30 to below 0 is no negative value; the shift makes it 0 all the same.
  logic half_up, less;
  logic single, to_even;
  assign single = SingleRounding && rounding_i != tessera_isa_pkg::StQuantRoundingTwice;
  assign to_even = SingleRounding && rounding_i == tessera_isa_pkg::StQuantRoundingHalfEven;
  assign half_up = product_q[0] && !single;
  assign less = product_q[33] && right3_q != '0 && !single;

  logic unused;
  assign unused = ^product[29:0];

  logic signed [32:0] high;
  adder_subtractor #(
      .Width(33)
  ) u_rounded (
      .augend_i(product_q[33:1]),
      .addend_i({32'd0, half_up != less}),
      .subtract_i(less),
      .sum_o(high)
  );

  // The last bit shifted out is the half: the quotient is half of `shifted`, rounded up.
  // Of what it leaves the lowest bits count, and whether all others are the sign.
  logic signed [17:0] near;
  logic [10:0] shifted;
  logic [6:0] differs, looked_at;
  assign near = coarse_q[17:0];
  assign shifted = 11'(near >>> fine_q);
  assign differs = coarse_q[16:10] ^ {7{coarse_q[33]}};
  assign looked_at = {7{1'b1}} << fine_q;

  // Rounded once nothing is added before the shift. A half with nothing behind it, neither in the product nor in what was shifted
  // out, is a tie: to even it is not rounded up above an even value.
  logic rest3_q, rest4_q, down;
  if (SingleRounding) begin : gen_single
    logic [2:0] shifted_out;
    logic [6:0] behind;
    assign shifted_out = {product_q[23:16] != '0 && right3_q[4:3] == 2'd3, product_q[15:8] != '0 && right3_q[4],
                          product_q[7:0] != '0 && right3_q[4:3] != 2'd0};
    assign behind = near[6:0] & ~({7{1'b1}} << fine_q);
    assign down = to_even && !rest4_q && behind == '0 && shifted[1:0] == 2'b01;
    always_ff @(posedge clk_i) begin
      if (stage_i[3]) rest3_q <= product[29:0] != '0;
      if (stage_i[4]) rest4_q <= rest3_q || shifted_out != '0;
    end
  end else begin : gen_twice
    assign rest3_q = 1'b0;
    assign rest4_q = 1'b0;
    assign down = 1'b0;
    logic unused_rest;
    assign unused_rest = ^{rest3_q, rest4_q, to_even, rounding_i};
  end

  // Compared while the zero point is added: twice what the clamp leaves, without the zero point. Values of more bits are beyond.
  logic signed [10:0] least, beyond;
  logic wide, below, above;
  logic [7:0] result;
  assign least = {clamp_i.lowest, 1'b1};
  assign beyond = {clamp_i.highest, 1'b1};
  assign wide = coarse_q[33:17] != {17{coarse_q[33]}} || (differs & looked_at) != '0;
  assign below = wide ? coarse_q[33] : $signed({shifted, !down}) < $signed({least, 1'b1});
  assign above = wide ? !coarse_q[33] : $signed(shifted) >= beyond;
  assign result = shifted[8:1] + clamp_i.zero_point + {7'd0, shifted[0] && !down};

  always_ff @(posedge clk_i) begin
    if (stage_i[0]) begin
      acc_q <= acc_i;
      again_q <= again_i;
      again_acc_q <= again_acc_i;
      bias_q <= bias_i;
      multiplier0_q <= multiplier_i;
      left_q <= left;
      right0_q <= right;
    end
    if (stage_i[1]) begin
      // Behind registers: what comes in are slow outputs of memories.
      scaled_q <= biased <<< left_q;
      multiplier_q <= multiplier0_q;
      right1_q <= right0_q;
    end
    if (stage_i[2]) begin
      right2_q <= right1_q;
    end
    if (stage_i[3]) begin
      product_q <= product[63:30];
      right3_q <= right2_q;
    end
    if (stage_i[4]) begin
      coarse_q <= $signed({high, single && product_q[0]}) >>> {right3_q[4:3], 3'b000};
      fine_q <= right3_q[2:0];
    end
    if (stage_i[5]) begin
      data_q <= below ? clamp_i.low : above ? clamp_i.high : result;
    end
  end

  assign data_o = data_q;

endmodule
