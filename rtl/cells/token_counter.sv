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
  logic available_q;

  assign available_o = available_q;
  assign overflow_o  = post_i && !take_i && (&count_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      available_q <= 1'b0;
    end else if (post_i && !take_i && !(&count_q)) begin
      count_q <= count_q + 1'b1;
      available_q <= 1'b1;
    end else if (take_i && !post_i) begin
      count_q <= count_q - 1'b1;
      available_q <= count_q != Bits'(1);
    end
  end

endmodule
