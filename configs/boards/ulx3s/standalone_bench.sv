/// The ULX3S on its own, its button and its lights.
module bench (
    input  logic       clk_i,
    input  logic       button_i,
    output logic [7:0] leds_o,
    /// There is no memory whose rules could be broken.
    output logic [7:0] broken_o
);

  logic unused_gpio;
  top u_top (
      .clk_25mhz(clk_i),
      .fire_1(button_i),
      .led(leds_o),
      .wifi_gpio0(unused_gpio)
  );
  assign broken_o = '0;

endmodule
