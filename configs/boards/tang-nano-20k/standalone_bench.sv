/// The Tang Nano 20K on its own, its button and its lights.
module bench (
    input  logic       clk_i,
    input  logic       button_i,
    output logic [7:0] leds_o,
    /// There is no memory whose rules could be broken.
    output logic [7:0] broken_o
);

  logic [5:0] led_n;
  top u_top (
      .clk_27mhz(clk_i),
      .button_s1(button_i),
      .led_n
  );
  assign leds_o = {2'b00, ~led_n};
  assign broken_o = '0;

endmodule
