/// Products of unsigned words for the microcontroller, with one multiplier of 16 by 16 bits: all 64 bits shifted right by 31 and rounded
/// in five cycles, or of the low halves in two.
module micro_multiplier (
    input  logic        clk_i,
    /// Cycles since the instruction began; both words hold meanwhile.
    input  logic [ 2:0] step_i,
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    /// Half is rounded down, not up.
    input  logic        down_i,
    /// Of the low halves, in the second cycle.
    output logic [31:0] product_o,
    /// The upper bits, `done_o` in the sixth cycle, without what rounding adds.
    output logic [31:0] factor_o,
    output logic        round_o,
    output logic        done_o
);

  // Low x low, low x high, high x low, high x high, each added a cycle later.
  logic [15:0] a_half, b_half;
  assign a_half = (step_i == 3'd2 || step_i == 3'd3) ? a_i[31:16] : a_i[15:0];
  assign b_half = (step_i == 3'd1 || step_i == 3'd3) ? b_i[31:16] : b_i[15:0];

  logic [31:0] product_q;
  logic [33:0] sum_q, augend;
  logic [ 1:0] below_q;  // bits 31 and 30 of the product
  logic        sticky_q;  // any below
  always_comb begin
    unique case (step_i)
      3'd1: augend = '0;
      3'd4: augend = 34'(sum_q[33:16]);
      default: augend = sum_q;
    endcase
  end

  always_ff @(posedge clk_i) begin
    product_q <= a_half * b_half;
    if (step_i == 3'd1) begin
      sum_q <= 34'(product_q[31:16]);
      sticky_q <= product_q[15:0] != '0;
    end else begin
      sum_q <= augend + 34'(product_q);
    end
    if (step_i == 3'd4) begin
      below_q  <= sum_q[15:14];
      sticky_q <= sticky_q || sum_q[13:0] != '0;
    end
  end

  assign product_o = product_q;
  assign factor_o = {sum_q[30:0], below_q[1]};
  assign round_o = below_q[0] && (!down_i || sticky_q);
  assign done_o = step_i == 3'd5;

endmodule
