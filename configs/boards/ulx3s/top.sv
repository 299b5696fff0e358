/// The ULX3S: the system and its pins.
module top (
    input  logic        clk_25mhz,
    /// Names from the USB chip's side: its receiver is our transmitter.
    output logic        ftdi_rxd,
    input  logic        ftdi_txd,
    output logic [ 4:0] led,
    /// High, so that the ESP32 does not reset the board.
    output logic        wifi_gpio0,
    output logic        sdram_clk,
    output logic        sdram_cke,
    output logic        sdram_csn,
    output logic        sdram_rasn,
    output logic        sdram_casn,
    output logic        sdram_wen,
    output logic [ 1:0] sdram_ba,
    output logic [12:0] sdram_a,
    output logic [ 1:0] sdram_dqm,
    inout  wire  [15:0] sdram_d
);

  logic clk, memory_clk, stable;
  clocks u_clocks (
      .pin_i(clk_25mhz),
      .clk_o(clk),
      .memory_clk_o(memory_clk),
      .stable_o(stable)
  );

  logic cke, cs_n, ras_n, cas_n, we_n, drive;
  logic [1:0] bank, mask;
  logic [12:0] address;
  logic [15:0] data_out, data_in;

  board_system u_system (
      .clk_i(clk),
      .rst_ni(stable),
      .uart_rx_i(ftdi_txd),
      .uart_tx_o(ftdi_rxd),
      .leds_o(led),
      .sdram_cke_o(cke),
      .sdram_cs_no(cs_n),
      .sdram_ras_no(ras_n),
      .sdram_cas_no(cas_n),
      .sdram_we_no(we_n),
      .sdram_bank_o(bank),
      .sdram_address_o(address),
      .sdram_mask_o(mask),
      .sdram_drive_o(drive),
      .sdram_data_o(data_out),
      .sdram_data_i(data_in)
  );

  clock_out u_clock (
      .clk_i(memory_clk),
      .pad_o(sdram_clk)
  );
  pads_out #(
      .Width(22)
  ) u_pads (
      .clk_i (clk),
      .data_i({cke, cs_n, ras_n, cas_n, we_n, bank, mask, address}),
      .pads_o({sdram_cke, sdram_csn, sdram_rasn, sdram_casn, sdram_wen, sdram_ba, sdram_dqm, sdram_a})
  );
  pads_both #(
      .Width(16)
  ) u_data (
      .clk_i(clk),
      .drive_i(drive),
      .data_i(data_out),
      .data_o(data_in),
      .pads_io(sdram_d)
  );

  assign wifi_gpio0 = 1'b1;

endmodule
