/// The Tang Nano 20K: the system and its pins. Those of the memory in the package have the names that the tools know.
module top (
    input  logic        clk_27mhz,
    output logic        uart_tx,
    input  logic        uart_rx,
    output logic [ 4:0] led_n,
    output logic        O_sdram_clk,
    output logic        O_sdram_cke,
    output logic        O_sdram_cs_n,
    output logic        O_sdram_cas_n,
    output logic        O_sdram_ras_n,
    output logic        O_sdram_wen_n,
    output logic [ 3:0] O_sdram_dqm,
    output logic [10:0] O_sdram_addr,
    output logic [ 1:0] O_sdram_ba,
    inout  wire  [31:0] IO_sdram_dq
);

  logic clk, memory_clk, stable;
  clocks u_clocks (
      .pin_i(clk_27mhz),
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
      .pad_o(O_sdram_clk)
  );
  pads_out #(
      .Width(22)
  ) u_pads (
      .clk_i(clk),
      .data_i({cke, cs_n, ras_n, cas_n, we_n, bank, mask, address}),
      .pads_o({O_sdram_cke, O_sdram_cs_n, O_sdram_ras_n, O_sdram_cas_n, O_sdram_wen_n, O_sdram_ba,
               O_sdram_dqm, O_sdram_addr})
  );
  pads_both #(
      .Width(32)
  ) u_data (
      .clk_i(clk),
      .drive_i(drive),
      .data_i(data_out),
      .data_o(data_in),
      .pads_io(IO_sdram_dq)
  );

  assign led_n = ~leds;

endmodule
