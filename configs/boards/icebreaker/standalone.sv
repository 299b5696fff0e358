/// The iCEBreaker on its own: its button and its lights, and the program in its flash.
module top (
    input  logic       clk_12mhz,
    input  logic       btn_n,
    output logic [4:0] led,
    output logic       ledg_n,
    output logic       ledr_n,
    output logic       flash_ssb,
    inout  wire        flash_sck,
    inout  wire  [1:0] flash_io,
    output logic       flash_wp_n,
    output logic       flash_hold_n
);

  logic clk, stable;
  clocks u_clocks (
      .pin_i(clk_12mhz),
      .clk_o(clk),
      .stable_o(stable)
  );

  logic cs_n, sck, drive;
  logic [1:0] flash_out, flash_in;
  logic [6:0] leds;

  flash_alone #(
      .Leds(7)
  ) u_system (
      .clk_i(clk),
      .rst_ni(stable),
      .button_i(!btn_n),
      .leds_o(leds),
      .flash_cs_no(cs_n),
      .flash_sck_o(sck),
      .flash_drive_o(drive),
      .flash_io_o(flash_out),
      .flash_io_i(flash_in)
  );
  assign led = leds[4:0];
  assign ledg_n = !leds[5];
  assign ledr_n = !leds[6];

  flash_pads u_flash (
      .clk_i(clk),
      .cs_ni(cs_n),
      .sck_i(sck),
      .drive_i(drive),
      .io_i(flash_out),
      .io_o(flash_in),
      .cs_no(flash_ssb),
      .sck_pad_io(flash_sck),
      .pads_io(flash_io)
  );
  assign flash_wp_n = 1'b1;
  assign flash_hold_n = 1'b1;

endmodule
