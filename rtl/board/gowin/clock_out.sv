/// A clock at a pad, half a cycle late.
module clock_out (
    input  logic clk_i,
    output logic pad_o
);

  logic unused;
  ODDR u_out (
      .CLK(clk_i),
      .TX(1'b1),
      .D0(1'b0),
      .D1(1'b1),
      .Q0(pad_o),
      .Q1(unused)
  );

endmodule
