/// The iCEBreaker on its own, its button, its lights and its flash's model.
module bench (
    input  logic       clk_i,
    input  logic       button_i,
    output logic [7:0] leds_o,
    /// As flash_model has it.
    output logic [7:0] broken_o
);

  logic [4:0] led;
  logic ledg_n, ledr_n, cs_n, drive, wp_n, hold_n;
  logic [1:0] data;
  wire sck;
  wire [1:0] lines;

  top u_top (
      .clk_12mhz(clk_i),
      .btn_n(!button_i),
      .led,
      .ledg_n,
      .ledr_n,
      .flash_ssb(cs_n),
      .flash_sck(sck),
      .flash_io(lines),
      .flash_wp_n(wp_n),
      .flash_hold_n(hold_n)
  );
  assign leds_o = {1'b0, !ledr_n, !ledg_n, led};
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
