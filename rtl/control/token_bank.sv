/// The dependency tokens that wait to be taken, by direction.
module token_bank (
    input  logic              clk_i,
    /// Synchronous reset, active low: forgets all tokens.
    input  logic              rst_ni,
    input  unit_pkg::tokens_t post_i,
    input  unit_pkg::tokens_t take_i,
    output unit_pkg::tokens_t available_o,
    output unit_pkg::tokens_t overflow_o
);

  logic [unit_pkg::Directions-1:0] post, take, available, overflow;
  assign post = post_i;
  assign take = take_i;
  assign available_o = available;
  assign overflow_o = overflow;

  for (genvar t = 0; t < unit_pkg::Directions; t++) begin : gen_directions
    token_counter u_tokens (
        .clk_i,
        .rst_ni,
        .post_i(post[t]),
        .take_i(take[t]),
        .available_o(available[t]),
        .overflow_o(overflow[t])
    );
  end

endmodule
