/// A performance counter.
module perf_counter #(
    /// Bits of the count, which wraps.
    parameter int unsigned Bits = 48,
    /// Bits of one increment.
    parameter int unsigned StepBits = 1
) (
    input  logic                clk_i,
    /// Synchronous reset, active low: back to zero.
    input  logic                rst_ni,
    input  logic                add_i,
    input  logic [StepBits-1:0] step_i,
    output logic [    Bits-1:0] count_o
);

  logic [Bits-1:0] count_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else if (add_i) count_q <= count_q + Bits'(step_i);
  end

  assign count_o = count_q;

endmodule
