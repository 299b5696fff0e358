/// The Tang Nano 20K with its memory's model on its pins.
module bench (
    input  logic       clk_i,
    input  logic       rx_i,
    output logic       tx_o,
    output logic [7:0] leds_o,
    /// As sdram_model has it.
    output logic [7:0] broken_o
);

  logic sdram_clk, cke, cs_n, ras_n, cas_n, we_n, drive;
  logic [1:0] bank;
  logic [3:0] mask;
  logic [4:0] leds_n;
  logic [10:0] address;
  logic [31:0] data;
  wire [31:0] lines;

  top u_top (
      .clk_27mhz(clk_i),
      .uart_tx(tx_o),
      .uart_rx(rx_i),
      .led_n(leds_n),
      .O_sdram_clk(sdram_clk),
      .O_sdram_cke(cke),
      .O_sdram_cs_n(cs_n),
      .O_sdram_cas_n(cas_n),
      .O_sdram_ras_n(ras_n),
      .O_sdram_wen_n(we_n),
      .O_sdram_dqm(mask),
      .O_sdram_addr(address),
      .O_sdram_ba(bank),
      .IO_sdram_dq(lines)
  );
  assign leds_o = {3'd0, ~leds_n};
  assign lines = drive ? data : 'z;

  sdram_model #(
      .DataBytes(board_config_pkg::DataBytes),
      .ColumnBits(board_config_pkg::ColumnBits),
      .RowBits(board_config_pkg::RowBits),
      .ClockPs(board_model_pkg::ClockPs),
      .PowerUpPs(board_model_pkg::PowerUpPs),
      .RcdPs(board_model_pkg::RcdPs),
      .RpPs(board_model_pkg::RpPs),
      .RasPs(board_model_pkg::RasPs),
      .RcPs(board_model_pkg::RcPs),
      .RfcPs(board_model_pkg::RfcPs),
      .RrdPs(board_model_pkg::RrdPs),
      .WrPs(board_model_pkg::WrPs),
      .RefiPs(board_model_pkg::RefiPs),
      .Cas2Ps(board_model_pkg::Cas2Ps)
  ) u_memory (
      .clk_i(sdram_clk),
      .cke_i(cke),
      .cs_ni(cs_n),
      .ras_ni(ras_n),
      .cas_ni(cas_n),
      .we_ni(we_n),
      .bank_i(bank),
      .address_i(address),
      .mask_i(mask),
      .data_i(lines),
      .data_o(data),
      .drive_o(drive),
      .broken_o
  );

endmodule
