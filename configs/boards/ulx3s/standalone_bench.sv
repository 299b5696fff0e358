/// The ULX3S on its own, its button and its lights.
module bench (
    input  logic       clk_i,
    input  logic       button_i,
    output logic [7:0] leds_o
);

  logic unused_gpio;
  top u_top (
      .clk_25mhz(clk_i),
      .fire_1(button_i),
      .led(leds_o),
      .wifi_gpio0(unused_gpio)
  );

endmodule
