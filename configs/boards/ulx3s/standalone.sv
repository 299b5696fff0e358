/// The ULX3S on its own: its button FIRE 1 and its lights.
module top (
    input  logic       clk_25mhz,
    input  logic       fire_1,
    output logic [7:0] led,
    /// High, so that the ESP32 does not reset the board.
    output logic       wifi_gpio0
);

  logic clk, unused_memory_clk, stable;
  clocks u_clocks (
      .pin_i(clk_25mhz),
      .clk_o(clk),
      .memory_clk_o(unused_memory_clk),
      .stable_o(stable)
  );

  standalone_system #(
      .Leds(8)
  ) u_system (
      .clk_i(clk),
      .rst_ni(stable),
      .button_i(fire_1),
      .leds_o(led)
  );

  assign wifi_gpio0 = 1'b1;

endmodule
