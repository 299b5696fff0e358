/// A clock at a pad.
module clock_out (
    input  logic clk_i,
    output logic pad_o
);

  ODDRX1F u_out (
      .SCLK(clk_i),
      .RST(1'b0),
      .D0(1'b1),
      .D1(1'b0),
      .Q(pad_o)
  );

endmodule
