/// One lane of the requantiser: bias, fixed-point multiplier with rounding doubled high multiply,
/// rounding right shift, zero point, clamp. Bit-exact with TensorFlow Lite's reference kernels
/// (gemmlowp's double rounding). Four cycles from `valid_i` to `data_o`.
module requant_lane (
    input  logic               clk_i,
    /// Stage enables: bit i is high when stage i holds data.
    input  logic        [ 3:0] stage_i,
    input  logic signed [31:0] acc_i,
    input  logic signed [31:0] bias_i,
    /// Multiplier in units of 2^-31.
    input  logic signed [31:0] multiplier_i,
    /// Left shift when positive, right shift when negative; -31 to 30.
    input  logic signed [ 7:0] shift_i,
    /// Must hold from `valid_i` until the data is out.
    input  logic signed [ 7:0] zero_point_i,
    input  logic signed [ 7:0] low_i,
    input  logic signed [ 7:0] high_i,
    output logic        [ 7:0] data_o
);

  logic [4:0] left, right;
  assign left  = (shift_i > 0) ? shift_i[4:0] : 5'd0;
  assign right = (shift_i < 0) ? 5'(-shift_i) : 5'd0;

  logic signed [31:0] scaled_q, multiplier_q;
  logic [4:0] right0_q, right1_q, right2_q;
  logic signed [63:0] product;
  logic signed [33:0] product_q;  // without its lowest 30 bits
  logic signed [32:0] high_q;
  logic [7:0] data_q;

  // The doubled high half, rounded half up (the nudge of negative products and truncation come to the same), is the
  // product's upper bits and its bit 30. A right shift rounds half away from zero: half up after a negative value is made less
  // by one. Both corrections meet in one addition. The value is negative where the product is below -2^30.
  logic half_up, less;
  assign product = scaled_q * multiplier_q;
  assign half_up = product_q[0];
  assign less = product_q[33] && !(&product_q[32:0]) && right1_q != '0;

  logic unused;
  assign unused = ^product[29:0];

  // The last bit shifted out is the half.
  logic signed [33:0] shifted;
  assign shifted = $signed({high_q, 1'b0}) >>> right2_q;

  // Beyond ten bits all values are clamped alike.
  logic signed [9:0] quotient;
  logic signed [11:0] result;
  assign quotient = (shifted[33:10] == {24{shifted[33]}}) ? shifted[10:1] : {shifted[33], {9{!shifted[33]}}};
  assign result = 12'(quotient) + 12'(zero_point_i) + $signed({11'd0, shifted[0]});

  always_ff @(posedge clk_i) begin
    if (stage_i[0]) begin
      scaled_q <= (acc_i + bias_i) <<< left;
      multiplier_q <= multiplier_i;
      right0_q <= right;
    end
    if (stage_i[1]) begin
      product_q <= product[63:30];
      right1_q <= right0_q;
    end
    if (stage_i[2]) begin
      high_q <= $signed(product_q[33:1]) + $signed({33{less && !half_up}}) + $signed({32'd0, half_up && !less});
      right2_q <= right1_q;
    end
    if (stage_i[3]) begin
      if (result < 12'(low_i)) data_q <= low_i;
      else if (result > 12'(high_i)) data_q <= high_i;
      else data_q <= result[7:0];
    end
  end

  assign data_o = data_q;

endmodule
