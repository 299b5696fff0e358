/// registered_product in a multiplier of the ECP5 and its output register, which synthesis leaves empty. Up to 18 bits each.
module registered_product #(
    parameter int unsigned FirstBits = 18,
    parameter int unsigned SecondBits = 18,
    /// Without `enable_i` the product stays; else the way to the multiplier is saved.
    parameter bit Holds = 1'b0
) (
    input  logic                                   clk_i,
    input  logic                                   enable_i,
    input  logic signed [           FirstBits-1:0] first_i,
    input  logic signed [          SecondBits-1:0] second_i,
    output logic signed [FirstBits+SecondBits-1:0] product_o
);

  logic enable;
  assign enable = enable_i || !Holds;

  logic [17:0] a, b;
  logic [35:0] p;
  assign a = 18'(first_i);
  assign b = 18'(second_i);
  assign product_o = p[FirstBits+SecondBits-1:0];

  MULT18X18D #(
      .REG_OUTPUT_CLK("CLK0"),
      .REG_OUTPUT_CE ("CE0"),
      .REG_OUTPUT_RST("RST0")
  ) u_multiplier (
      .CLK0(clk_i),
      .CE0(enable),
      .RST0(1'b0),
      .SIGNEDA(1'b1),
      .SIGNEDB(1'b1),
      .SOURCEA(1'b0),
      .SOURCEB(1'b0),
      .A0(a[0]), .A1(a[1]), .A2(a[2]), .A3(a[3]), .A4(a[4]), .A5(a[5]), .A6(a[6]), .A7(a[7]), .A8(a[8]), .A9(a[9]),
      .A10(a[10]), .A11(a[11]), .A12(a[12]), .A13(a[13]), .A14(a[14]), .A15(a[15]), .A16(a[16]), .A17(a[17]),
      .B0(b[0]), .B1(b[1]), .B2(b[2]), .B3(b[3]), .B4(b[4]), .B5(b[5]), .B6(b[6]), .B7(b[7]), .B8(b[8]), .B9(b[9]),
      .B10(b[10]), .B11(b[11]), .B12(b[12]), .B13(b[13]), .B14(b[14]), .B15(b[15]), .B16(b[16]), .B17(b[17]),
      .C0(1'b0), .C1(1'b0), .C2(1'b0), .C3(1'b0), .C4(1'b0), .C5(1'b0), .C6(1'b0), .C7(1'b0), .C8(1'b0), .C9(1'b0),
      .C10(1'b0), .C11(1'b0), .C12(1'b0), .C13(1'b0), .C14(1'b0), .C15(1'b0), .C16(1'b0), .C17(1'b0),
      .P0(p[0]), .P1(p[1]), .P2(p[2]), .P3(p[3]), .P4(p[4]), .P5(p[5]), .P6(p[6]), .P7(p[7]), .P8(p[8]), .P9(p[9]),
      .P10(p[10]), .P11(p[11]), .P12(p[12]), .P13(p[13]), .P14(p[14]), .P15(p[15]), .P16(p[16]), .P17(p[17]),
      .P18(p[18]), .P19(p[19]), .P20(p[20]), .P21(p[21]), .P22(p[22]), .P23(p[23]), .P24(p[24]), .P25(p[25]),
      .P26(p[26]), .P27(p[27]), .P28(p[28]), .P29(p[29]), .P30(p[30]), .P31(p[31]), .P32(p[32]), .P33(p[33]),
      .P34(p[34]), .P35(p[35])
  );

endmodule
