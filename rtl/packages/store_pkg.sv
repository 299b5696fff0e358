/// What a tile's values are clamped to, and what a softmax can keep.
package store_pkg;

  /// Pixels of a tile with softmax at most.
  localparam int unsigned SoftmaxPixels = 256;

  typedef struct packed {
    logic signed [7:0] zero_point;
    logic signed [7:0] low;
    logic signed [7:0] high;
    logic signed [9:0] lowest;   // low and high without the zero point, the former less one
    logic signed [9:0] highest;
  } clamp_t;

  function automatic clamp_t clamp(input logic signed [7:0] zero_point, input logic signed [7:0] low,
                                   input logic signed [7:0] high);
    logic signed [9:0] lowest, highest;
    lowest = 10'(low) - 10'(zero_point) - 10'sd1;
    highest = 10'(high) - 10'(zero_point);
    clamp = {zero_point, low, high, lowest, highest};
  endfunction

endpackage
