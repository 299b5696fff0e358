/// The board's clock made by the chip's PLL, and the same clock later for the memory.
module clocks (
    input  logic pin_i,
    output logic clk_o,
    /// Behind clk_o by the phase that the board's description says.
    output logic memory_clk_o,
    output logic stable_o
);

  logic unused_intfb, unused_lock, unused_ref, unused_os2, unused_os3;

  (* ICP_CURRENT = "12" *) (* LPF_RESISTOR = "8" *)
  (* MFG_ENABLE_FILTEROPAMP = "1" *) (* MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
      .CLKI_DIV(board_config_pkg::PllReferenceDivider),
      .CLKFB_DIV(board_config_pkg::PllFeedbackDivider),
      .CLKOP_ENABLE("ENABLED"),
      .CLKOP_DIV(board_config_pkg::PllOutputDivider),
      .CLKOP_CPHASE(board_config_pkg::PllPhase),
      .CLKOP_FPHASE(0),
      .CLKOS_ENABLE("ENABLED"),
      .CLKOS_DIV(board_config_pkg::PllOutputDivider),
      .CLKOS_CPHASE(board_config_pkg::PllMemoryPhase),
      .CLKOS_FPHASE(board_config_pkg::PllMemoryFinePhase),
      .FEEDBK_PATH("CLKOP")
  ) u_pll (
      .CLKI(pin_i),
      .CLKFB(clk_o),
      .PHASESEL0(1'b0),
      .PHASESEL1(1'b0),
      .PHASEDIR(1'b1),
      .PHASESTEP(1'b1),
      .PHASELOADREG(1'b1),
      .STDBY(1'b0),
      .PLLWAKESYNC(1'b0),
      .RST(1'b0),
      .ENCLKOP(1'b0),
      .ENCLKOS(1'b0),
      .ENCLKOS2(1'b0),
      .ENCLKOS3(1'b0),
      .CLKOP(clk_o),
      .CLKOS(memory_clk_o),
      .CLKOS2(unused_os2),
      .CLKOS3(unused_os3),
      .LOCK(stable_o),
      .INTLOCK(unused_lock),
      .REFCLK(unused_ref),
      .CLKINTFB(unused_intfb)
  );

  logic unused;
  assign unused = ^{unused_intfb, unused_lock, unused_ref, unused_os2, unused_os3};

endmodule
