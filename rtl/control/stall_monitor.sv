/// Notices that a run can never end: every unit idle or waiting for a token that nothing can give,
/// or no progress for as many cycles as the watchdog allows.
module stall_monitor (
    input  logic        clk_i,
    /// Synchronous reset, active low.
    input  logic        rst_ni,
    input  logic        running_i,
    /// Load, compute, store: nothing to do.
    input  logic [ 2:0] idle_i,
    /// Load, compute, store: nothing under way, the next command waits for a token.
    input  logic [ 2:0] waiting_i,
    /// The front end has given out all commands or cannot give out the next one.
    input  logic        front_stuck_i,
    /// Something moved in this cycle.
    input  logic        progress_i,
    /// Cycles without progress that are allowed; 0: any number.
    input  logic [31:0] watchdog_i,
    output logic        deadlock_o,
    output logic        timeout_o
);

  // Tokens and words in flight between registers settle within a few cycles.
  localparam int unsigned SettleCycles = 15;

  logic stuck, reached_q;
  logic [3:0] stuck_q;
  logic [31:0] still_q, next_still;
  assign stuck = running_i && front_stuck_i && (&(idle_i | waiting_i)) && (|waiting_i);
  assign deadlock_o = stuck_q == 4'(SettleCycles);
  assign next_still = still_q + 32'd1;
  assign timeout_o = running_i && reached_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !stuck) stuck_q <= '0;
    else if (!deadlock_o) stuck_q <= stuck_q + 4'd1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !running_i || progress_i) begin
      still_q <= '0;
      reached_q <= 1'b0;
    end else begin
      still_q <= next_still;
      reached_q <= watchdog_i != '0 && next_still >= watchdog_i;
    end
  end

endmodule
