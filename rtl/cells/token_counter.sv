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

  assign available_o = count_q != '0;
  assign overflow_o  = post_i && !take_i && (&count_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else if (post_i && !take_i && !(&count_q)) count_q <= count_q + 1'b1;
    else if (take_i && !post_i) count_q <= count_q - 1'b1;
  end

endmodule
