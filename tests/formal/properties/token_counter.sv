/// The count is the tokens given less those taken, and stays at its highest.
module token_counter_properties #(
    parameter int unsigned Bits = 3
) (
    input logic clk_i,
    input logic post_i,
    input logic take_i
);

  logic rst_n, available, overflow;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  token_counter #(
      .Bits(Bits)
  ) u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .post_i,
      .take_i,
      .available_o(available),
      .overflow_o(overflow)
  );

  logic [Bits:0] tokens_q;
  logic is_most;
  assign is_most = tokens_q == (1 << Bits) - 1;
  always_ff @(posedge clk_i) begin
    if (!rst_n) tokens_q <= '0;
    else if (!overflow) tokens_q <= tokens_q + (Bits + 1)'(post_i) - (Bits + 1)'(take_i);
  end

  always_comb begin
    if (rst_n) assume (!take_i || available);
    if (rst_n) begin
      available_is_true : assert (available == (tokens_q != '0));
      overflow_is_true : assert (overflow == (post_i && !take_i && is_most));
    end
  end

endmodule
