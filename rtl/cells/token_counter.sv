/// Dependency tokens of one direction between two units.
module token_counter #(
    /// Bits of the count.
    parameter int unsigned Bits = 8
) (
    input  logic clk_i,
    /// Synchronous reset, active low: no tokens.
    input  logic rst_ni,
    /// Adds a token.
    input  logic post_i,
    /// Removes a token; only while `available_o`.
    input  logic take_i,
    output logic available_o,
    /// A token was given while the count was at its highest.
    output logic overflow_o
);

  logic [Bits-1:0] count_q;
  logic available_q, more, fewer;

  assign available_o = available_q;
  assign overflow_o  = post_i && !take_i && (&count_q);
  assign more = post_i && !take_i && !(&count_q);
  assign fewer = take_i && !post_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      available_q <= 1'b0;
    end else begin
      // One more, one fewer or as many: one adder.
      count_q <= count_q + {{Bits - 1{fewer}}, more || fewer};
      available_q <= more || (fewer ? count_q != Bits'(1) : available_q);
    end
  end

endmodule
