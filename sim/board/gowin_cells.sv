// The cells of a board's top level, as far as a simulation in cycles needs them. The clock's pin is the clock itself.

module rPLL #(
    parameter FCLKIN = "100.0",
    parameter int IDIV_SEL = 0,
    parameter int FBDIV_SEL = 0,
    parameter int ODIV_SEL = 8
) (
    input  logic       CLKIN,
    input  logic       CLKFB,
    input  logic       RESET,
    input  logic       RESET_P,
    input  logic [5:0] FBDSEL,
    input  logic [5:0] IDSEL,
    input  logic [5:0] ODSEL,
    input  logic [3:0] PSDA,
    input  logic [3:0] DUTYDA,
    input  logic [3:0] FDLY,
    output logic       CLKOUT,
    output logic       LOCK,
    output logic       CLKOUTP,
    output logic       CLKOUTD,
    output logic       CLKOUTD3
);
  // It takes a while until it is stable.
  logic [3:0] locked_q = '0;
  always_ff @(posedge CLKIN) locked_q <= {locked_q[2:0], 1'b1};
  assign LOCK = locked_q[3];
  assign CLKOUT = CLKIN;
endmodule

module IOBUF (
    output logic O,
    inout  wire  IO,
    input  logic I,
    input  logic OEN
);
  assign IO = OEN ? 1'bz : I;
  assign O  = IO;
endmodule

module ODDR (
    input  logic CLK,
    input  logic TX,
    input  logic D0,
    input  logic D1,
    output logic Q0,
    output logic Q1
);
  assign Q0 = CLK ? D0 : D1;
  assign Q1 = TX;
endmodule
