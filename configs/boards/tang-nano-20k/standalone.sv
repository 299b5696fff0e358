/// The Tang Nano 20K on its own: its button S1 and its lights.
module top (
    input  logic       clk_27mhz,
    input  logic       button_s1,
    output logic [5:0] led_n
);

  logic clk, unused_memory_clk, stable;
  clocks u_clocks (
      .pin_i(clk_27mhz),
      .clk_o(clk),
      .memory_clk_o(unused_memory_clk),
      .stable_o(stable)
  );

  logic [5:0] leds;
  standalone_system #(
      .Leds(6)
  ) u_system (
      .clk_i(clk),
      .rst_ni(stable),
      .button_i(button_s1),
      .leds_o(leds)
  );

  assign led_n = ~leds;

endmodule
