/// Products of unsigned words for the microcontroller: all 64 bits shifted right by 31 and rounded in two cycles, or of the low halves in one.
module micro_multiplier (
    input  logic        clk_i,
    /// Both words hold from the cycle on in which the instruction begins.
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    /// Half is rounded down, not up.
    input  logic        down_i,
    /// Of the low halves, a cycle later.
    output logic [31:0] product_o,
    /// The upper bits, two cycles later, without what rounding adds.
    output logic [31:0] factor_o,
    output logic        round_o
);

  // Low x low, low x high, high x low, high x high.
  logic [31:0] low_q, crossed0_q, crossed1_q, high_q;
  logic [32:0] crossed;
  logic [62:16] upper;  // the product is 2^62 at most
  logic [62:30] upper_q;
  logic         sticky_q;  // any of bits 29 to 0
  assign crossed = 33'(crossed0_q) + 33'(crossed1_q);
  assign upper = {high_q[30:0], low_q[31:16]} + 47'(crossed);

  always_ff @(posedge clk_i) begin
    low_q <= a_i[15:0] * b_i[15:0];
    crossed0_q <= a_i[15:0] * b_i[31:16];
    crossed1_q <= a_i[31:16] * b_i[15:0];
    high_q <= a_i[31:16] * b_i[31:16];
    upper_q <= upper[62:30];
    sticky_q <= low_q[15:0] != '0 || upper[29:16] != '0;
  end

  logic unused;
  assign unused = high_q[31];

  assign product_o = low_q;
  assign factor_o = upper_q[62:31];
  assign round_o = upper_q[30] && (!down_i || sticky_q);

endmodule
