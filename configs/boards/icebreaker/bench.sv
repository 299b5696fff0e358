/// The iCEBreaker with its flash's model on its pins.
module bench (
    input  logic       clk_i,
    input  logic       rx_i,
    output logic       tx_o,
    output logic [7:0] leds_o,
    /// As flash_model has it.
    output logic [7:0] broken_o
);

  logic [4:0] leds;
  logic cs_n, drive, wp_n, hold_n;
  logic [1:0] data;
  wire sck;
  wire [1:0] lines;

  top u_top (
      .clk_12mhz(clk_i),
      .uart_tx(tx_o),
      .uart_rx(rx_i),
      .led(leds),
      .flash_ssb(cs_n),
      .flash_sck(sck),
      .flash_io(lines),
      .flash_wp_n(wp_n),
      .flash_hold_n(hold_n)
  );
  assign leds_o = {3'd0, leds};
  assign lines  = drive ? data : 'z;

  flash_model #(
      .ClockPs(board_model_pkg::ClockPs),
      .WakePs (board_model_pkg::FlashWakePs)
  ) u_flash (
      .clk_i,
      .cs_ni(cs_n),
      .sck_i(sck),
      .io_i(lines),
      .io_o(data),
      .drive_o(drive),
      .broken_o
  );

endmodule
