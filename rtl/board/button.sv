/// Presses of a button: one for each time that it stays down, whatever it does before.
module button #(
    /// That it has to stay as it is.
    parameter int unsigned StillCycles = 250000
) (
    input  logic clk_i,
    /// Synchronous reset, active low.
    input  logic rst_ni,
    /// Asynchronous, high while pressed; may bounce.
    input  logic button_i,
    /// For one cycle.
    output logic press_o
);

  localparam int unsigned StillBits = $clog2(StillCycles + 1);
  logic [1:0] level_q;
  logic pressed_q;
  logic [StillBits-1:0] still_q;
  logic settled;
  assign settled = still_q == StillBits'(StillCycles);
  assign press_o = settled && level_q[1] && !pressed_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      level_q   <= '0;
      pressed_q <= 1'b0;
      still_q   <= '0;
    end else begin
      level_q <= {level_q[0], button_i};
      if (level_q[1] == pressed_q) still_q <= '0;
      else if (settled) pressed_q <= level_q[1];
      else still_q <= still_q + StillBits'(1);
    end
  end

endmodule
