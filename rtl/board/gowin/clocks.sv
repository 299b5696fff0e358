/// The board's clock made by the chip's PLL. The memory's clock is the same one; clock_out turns it round.
module clocks (
    input  logic pin_i,
    output logic clk_o,
    output logic memory_clk_o,
    output logic stable_o
);

  logic unused_p, unused_d, unused_d3;

  rPLL #(
      .FCLKIN(board_config_pkg::PllPinMhz),
      .IDIV_SEL(board_config_pkg::PllInputSelect),
      .FBDIV_SEL(board_config_pkg::PllFeedbackSelect),
      .ODIV_SEL(board_config_pkg::PllOutputDivider)
  ) u_pll (
      .CLKIN(pin_i),
      .CLKFB(1'b0),
      .RESET(1'b0),
      .RESET_P(1'b0),
      .FBDSEL(6'd0),
      .IDSEL(6'd0),
      .ODSEL(6'd0),
      .PSDA(4'd0),
      .DUTYDA(4'd0),
      .FDLY(4'd0),
      .CLKOUT(clk_o),
      .LOCK(stable_o),
      .CLKOUTP(unused_p),
      .CLKOUTD(unused_d),
      .CLKOUTD3(unused_d3)
  );
  assign memory_clk_o = clk_o;

  logic unused;
  assign unused = ^{unused_p, unused_d, unused_d3};

endmodule
