/// The Colorlight i5: the system and its pins. The memory's chip select and clock enable are tied on the
/// board, and so are its byte masks.
module top (
    input  logic        clk_25mhz,
    output logic        uart_tx,
    input  logic        uart_rx,
    output logic        led_n,
    output logic        sdram_clk,
    output logic        sdram_rasn,
    output logic        sdram_casn,
    output logic        sdram_wen,
    output logic [ 1:0] sdram_ba,
    output logic [10:0] sdram_a,
    inout  wire  [31:0] sdram_d
);

  logic clk, memory_clk, stable;
  clocks u_clocks (
      .pin_i(clk_25mhz),
      .clk_o(clk),
      .memory_clk_o(memory_clk),
      .stable_o(stable)
  );

  logic cke, cs_n, ras_n, cas_n, we_n, drive;
  logic [1:0] bank;
  logic [3:0] mask;
  logic [4:0] leds;
  logic [10:0] address;
  logic [31:0] data_out, data_in;

  board_system u_system (
      .clk_i(clk),
      .rst_ni(stable),
      .uart_rx_i(uart_rx),
      .uart_tx_o(uart_tx),
      .leds_o(leds),
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
      .Width(16)
  ) u_pads (
      .clk_i (clk),
      .data_i({ras_n, cas_n, we_n, bank, address}),
      .pads_o({sdram_rasn, sdram_casn, sdram_wen, sdram_ba, sdram_a})
  );
  pads_both #(
      .Width(32)
  ) u_data (
      .clk_i(clk),
      .drive_i(drive),
      .data_i(data_out),
      .data_o(data_in),
      .pads_io(sdram_d)
  );

  // One light for all: it blinks while the memory is ready and the last frame was right.
  assign led_n = !(leds[0] && leds[1] && !leds[3]);

  logic unused;
  assign unused = ^{cke, cs_n, mask, leds};

endmodule
