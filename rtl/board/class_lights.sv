/// Lights of a board without a host. All below the upper two show the class. The next one is lit while the network runs. The uppermost one
/// blinks when the run failed: while it is lit the class's lights show the upper four bits of the cause, while it is dark the lower four.
module class_lights #(
    /// At least 6.
    parameter int unsigned Leds = 8,
    /// Between two changes of the one that blinks.
    parameter int unsigned BlinkCycles = 25000000
) (
    input  logic            clk_i,
    /// Synchronous reset, active low.
    input  logic            rst_ni,
    input  logic            runs_i,
    input  logic            failed_i,
    input  logic [     7:0] cause_i,
    input  logic [Leds-3:0] class_i,
    output logic [Leds-1:0] leds_o
);

  localparam int unsigned BlinkBits = $clog2(BlinkCycles);
  logic [BlinkBits-1:0] blink_q;
  logic upper_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !failed_i) begin
      blink_q <= '0;
      upper_q <= 1'b1;
    end else if (blink_q == BlinkBits'(BlinkCycles - 1)) begin
      blink_q <= '0;
      upper_q <= !upper_q;
    end else begin
      blink_q <= blink_q + BlinkBits'(1);
    end
  end

  logic [3:0] half;
  assign half   = upper_q ? cause_i[7:4] : cause_i[3:0];
  assign leds_o = failed_i ? {upper_q, 1'b0, (Leds - 2)'(half)} : {1'b0, runs_i, class_i};

endmodule
