/// The lane computes what gemmlowp's reference functions compute (SaturatingRoundingDoublingHighMul,
/// RoundingDivideByPOT), then zero point and clamp.
module requant_lane_properties #(
    /// The lane's product is cut away and any number takes its place, here too.
    parameter bit CutProduct = 0,
    /// Otherwise: so many bits of the accumulator and of the multiplier, from the highest on, vary.
    parameter int unsigned Bits = 6
) (
    input logic clk_i
);

  (* anyconst *)logic signed [31:0] acc, other_acc, bias, factor;
  (* anyconst *)logic again;
  (* anyconst *)logic [1:0] rounding;
  (* anyconst *)logic signed [7:0] shift, zero_point, low, high;
  /// Connected to the lane's after it has been cut.
  (* keep *)logic signed [63:0] product;

  logic [7:0] data;
  requant_lane u_dut (
      .clk_i,
      .stage_i(6'h3f),
      .acc_i(again ? other_acc : acc),
      .again_i(again),
      .again_acc_i(again ? acc : other_acc),
      .bias_i(bias),
      .multiplier_i(factor),
      .shift_i(shift),
      .rounding_i(rounding),
      .clamp_i(store_pkg::clamp(zero_point, low, high)),
      .data_o(data)
  );

  // What takes the product's place is one number, as long as it is looked at.
  logic signed [63:0] product_q;
  always_ff @(posedge clk_i) product_q <= product;

  logic [3:0] cycle_q = '0;
  always_ff @(posedge clk_i) if (cycle_q != 4'd15) cycle_q <= cycle_q + 1'b1;

  logic signed [31:0] biased, scaled, doubled, remainder, threshold, divided, shifted;
  logic signed [63:0] full, nudged;
  logic signed [63:0] truncated, floored, rest, half;
  logic up;
  logic signed [32:0] once;
  logic [4:0] right;
  logic signed [32:0] result;
  logic [7:0] expected;
  always_comb begin
    biased = acc + bias;
    scaled = shift > 0 ? biased << shift[4:0] : biased;
    right = shift < 0 ? 5'(-shift) : 5'd0;
    full = CutProduct ? product : 64'(scaled) * 64'(factor);
    nudged = full + (full >= 0 ? 64'sd1073741824 : -64'sd1073741823);
    // C's division by 2^31: towards zero.
    truncated = (nudged + (nudged < 0 ? 64'sd2147483647 : 64'sd0)) >>> 31;
    doubled = 32'(truncated);
    remainder = doubled & ~(32'hffffffff << right);
    threshold = 32'(~(32'hffffffff << right) >> 1) + (doubled < 0 ? 32'sd1 : 32'sd0);
    divided = (doubled >>> right) + (remainder > threshold ? 32'sd1 : 32'sd0);
    // Once: the whole product, cut off, and one more from a half on; a tie to even only above an odd value.
    floored = full >>> (7'd31 + 7'(right));
    rest = full - (floored <<< (7'd31 + 7'(right)));
    half = 64'sd1 <<< (7'd30 + 7'(right));
    up = rest > half || (rest == half && (rounding == 2'd1 || floored[0]));
    once = 33'(floored) + 33'(up);
    result = (rounding == 2'd0 ? 33'(divided) : once) + 33'(zero_point);
    expected = result < 33'(low) ? low : result > 33'(high) ? high : 8'(result);

    assume (rounding <= 2'd2);
    assume (low <= zero_point && zero_point <= high);
    assume (shift >= -8'sd31 && shift <= 8'sd30);
    assume (factor >= 0);
    if (CutProduct) begin
      assume (cycle_q == '0 || product == product_q);
      // |scaled| is at most 2^31, the multiplier below 2^31; the halves are the same product.
      assume (product <= 64'sh3fff_ffff_8000_0000 && product >= -64'sh3fff_ffff_8000_0000 - 64'sh4000_0000);
    end else begin
      assume (bias == '0);
      assume (acc == acc >>> (32 - Bits) << (32 - Bits) || acc == 32'(signed'(acc[Bits-1:0])));
      assume (factor[30-Bits:0] == '0);
    end
    if (cycle_q > 4'd8) equals_the_formula : assert (data == expected);
  end

endmodule
