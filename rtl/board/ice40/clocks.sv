/// The board's clock made by the chip's PLL.
module clocks (
    input  logic pin_i,
    output logic clk_o,
    /// Block RAMs cannot be read in the first microseconds after configuration: some more than these are waited for.
    output logic stable_o
);

  logic locked, unused_core, unused_sdo;
  logic [8:0] wait_q = '0;

  SB_PLL40_PAD #(
      .FEEDBACK_PATH("SIMPLE"),
      .DIVR(4'(board_config_pkg::PllReferenceSelect)),
      .DIVF(7'(board_config_pkg::PllFeedbackSelect)),
      .DIVQ(3'(board_config_pkg::PllOutputPower)),
      .FILTER_RANGE(3'(board_config_pkg::PllFilterRange))
  ) u_pll (
      .PACKAGEPIN(pin_i),
      .PLLOUTCORE(unused_core),
      .PLLOUTGLOBAL(clk_o),
      .EXTFEEDBACK(1'b0),
      .DYNAMICDELAY(8'd0),
      .LOCK(locked),
      .BYPASS(1'b0),
      .RESETB(1'b1),
      .LATCHINPUTVALUE(1'b0),
      .SDO(unused_sdo),
      .SDI(1'b0),
      .SCLK(1'b0)
  );

  always_ff @(posedge clk_o or negedge locked) begin
    if (!locked) wait_q <= '0;
    else if (!wait_q[8]) wait_q <= wait_q + 9'd1;
  end
  assign stable_o = wait_q[8];

  logic unused;
  assign unused = unused_core ^ unused_sdo;

endmodule
