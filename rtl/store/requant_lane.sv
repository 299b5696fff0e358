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
  logic signed [63:0] product_q;
  logic signed [32:0] high_q;
  logic [7:0] data_q;

  // Half away from zero comes out of an arithmetic shift because the nudge for negative products
  // (1 - 2^30, then truncation towards zero) equals 2^30 followed by flooring.
  logic signed [63:0] nudged;
  assign nudged = product_q + 64'sd1073741824;

  logic [31:0] mask, remainder, threshold;
  logic signed [32:0] high_part;
  logic signed [33:0] rounded, shifted;
  assign mask = (32'd1 << right2_q) - 32'd1;
  assign remainder = high_q[31:0] & mask;
  assign threshold = (mask >> 1) + 32'(high_q[32]);
  assign high_part = high_q >>> right2_q;
  assign rounded = 34'(high_part) + ((remainder > threshold) ? 34'sd1 : 34'sd0);
  assign shifted = rounded + 34'(zero_point_i);

  always_ff @(posedge clk_i) begin
    if (stage_i[0]) begin
      scaled_q <= (acc_i + bias_i) <<< left;
      multiplier_q <= multiplier_i;
      right0_q <= right;
    end
    if (stage_i[1]) begin
      product_q <= scaled_q * multiplier_q;
      right1_q <= right0_q;
    end
    if (stage_i[2]) begin
      high_q <= 33'(nudged >>> 31);
      right2_q <= right1_q;
    end
    if (stage_i[3]) begin
      if (shifted < 34'(low_i)) data_q <= low_i;
      else if (shifted > 34'(high_i)) data_q <= high_i;
      else data_q <= shifted[7:0];
    end
  end

  assign data_o = data_q;

endmodule
