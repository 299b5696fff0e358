/// 1 / (1 + a) of a sum s = 2^n (1 + a) as gemmlowp computes it: Newton's division in Q2.29, three steps, with one product of two
/// words at a time. 24 cycles from `start_i` to `done_o`.
module softmax_reciprocal (
    input  logic        clk_i,
    /// Synchronous reset, active low.
    input  logic        rst_ni,
    /// Takes the sum; not before `done_o`.
    input  logic        start_i,
    /// Q9.19. The highest bit: it is beyond the lower ones, and nothing is left of it.
    input  logic [28:0] sum_i,
    output logic        done_o,
    /// With `done_o`, in units of 2^-31; and bits that the sum has above its unit.
    output logic [30:0] multiplier_o,
    output logic [ 3:0] bits_o
);

  localparam logic signed [31:0] Least = 32'sd1515870810;  // 48 / 17, Q2.29
  localparam logic signed [31:0] Slope = -32'sd1010580540;  // -32 / 17
  localparam logic signed [31:0] One = 32'sd536870912;
  localparam logic [2:0] Last = 3'd7;  // what the last product leads to

  typedef enum logic [1:0] {
    Load,
    Multiply,
    Round
  } phase_e;

  logic taken_q, busy_q;
  phase_e phase_q;
  logic [2:0] step_q;  // products that are done

  // Shifted to the left until the highest bit is where 2^-1 is. A sum that begins lower is none that a table of exponentials makes.
  logic [28:0] sum_q;
  logic [30:0] shifted, denominator_q;
  logic [3:0] bits, bits_q;
  logic beyond_q;
  always_comb begin
    bits = 4'd0;
    for (int unsigned b = 20; b < 28; b++) if (sum_q[b]) bits = 4'(b - 19);
    shifted = {sum_q[27:0], 3'd0} << (4'd8 - bits);
  end

  // The guess from 48 / 17 and -32 / 17; then turns of 1 - denominator x guess and of what that adds to the guess.
  logic signed [31:0] high_q, guess_q, next, augend, addend, first_q, second_q;
  logic odd;
  assign odd = step_q[0];
  assign augend = (step_q == 3'd1) ? Least : odd ? guess_q : One;
  assign addend = (step_q == 3'd1) ? high_q : odd ? {high_q[29:0], 2'd0} : -high_q;
  assign next = augend + addend;

  logic signed [63:0] product;
  word_product u_product (
      .clk_i,
      .enable_i (phase_q == Multiply),
      .first_i  (first_q),
      .second_i (second_q),
      .product_o(product)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      taken_q <= 1'b0;
      busy_q  <= 1'b0;
    end else begin
      taken_q <= start_i;
      if (taken_q) busy_q <= 1'b1;
      else if (phase_q == Load && step_q == Last) busy_q <= 1'b0;
    end
    if (start_i) sum_q <= sum_i;
    if (taken_q) begin
      denominator_q <= shifted;
      bits_q <= bits;
      beyond_q <= sum_q[28];
      step_q <= '0;
      phase_q <= Load;
    end else if (busy_q) begin
      unique case (phase_q)
        Load: begin
          first_q  <= (step_q == '0 || odd) ? {1'b0, denominator_q} : guess_q;
          second_q <= (step_q == '0) ? Slope : next;
          if (odd) guess_q <= next;
          phase_q <= Multiply;
        end
        Multiply: phase_q <= Round;
        default: begin
          // The doubled high half, rounded half up.
          high_q  <= product[62:31] + {31'd0, product[30]};
          step_q  <= step_q + 3'd1;
          phase_q <= Load;
        end
      endcase
    end
  end

  logic unused;
  assign unused = ^{product[63], product[29:0]};

  // Twice the guess; one and above becomes all that a fraction can be.
  logic done_q;
  logic [30:0] multiplier_q;
  always_ff @(posedge clk_i) begin
    done_q <= rst_ni && busy_q && phase_q == Load && step_q == Last;
    multiplier_q <= beyond_q ? '0 : next[31:30] != '0 ? '1 : {next[29:0], 1'b0};
  end
  assign done_o = done_q;
  assign multiplier_o = multiplier_q;
  assign bits_o = bits_q;

endmodule
