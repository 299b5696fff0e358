// The cells of a board's top level, as far as a simulation in cycles needs them. The clock's pin is the clock itself; the
// memory's clock, which comes later by a part of a cycle, is half a cycle late.

module EHXPLLL #(
    parameter int CLKI_DIV = 1,
    parameter int CLKFB_DIV = 1,
    parameter int CLKOP_DIV = 8,
    parameter int CLKOS_DIV = 8,
    parameter CLKOP_ENABLE = "ENABLED",
    parameter CLKOS_ENABLE = "DISABLED",
    parameter int CLKOP_CPHASE = 0,
    parameter int CLKOS_CPHASE = 0,
    parameter int CLKOP_FPHASE = 0,
    parameter int CLKOS_FPHASE = 0,
    parameter FEEDBK_PATH = "CLKOP"
) (
    input  logic CLKI,
    input  logic CLKFB,
    input  logic PHASESEL0,
    input  logic PHASESEL1,
    input  logic PHASEDIR,
    input  logic PHASESTEP,
    input  logic PHASELOADREG,
    input  logic STDBY,
    input  logic PLLWAKESYNC,
    input  logic RST,
    input  logic ENCLKOP,
    input  logic ENCLKOS,
    input  logic ENCLKOS2,
    input  logic ENCLKOS3,
    output logic CLKOP,
    output logic CLKOS,
    output logic CLKOS2,
    output logic CLKOS3,
    output logic LOCK,
    output logic INTLOCK,
    output logic REFCLK,
    output logic CLKINTFB
);
  // It takes a while until it is stable.
  logic [3:0] locked_q = '0;
  always_ff @(posedge CLKI) locked_q <= {locked_q[2:0], 1'b1};
  assign LOCK = locked_q[3];
  assign CLKOP = CLKI;
  assign CLKOS = !CLKI;
endmodule

module OFS1P3BX (
    input  logic D,
    input  logic SP,
    input  logic SCLK,
    input  logic PD,
    output logic Q
);
  logic q = 1'b1;
  always_ff @(posedge SCLK) if (SP) q <= D;
  assign Q = q;
endmodule

module IFS1P3DX (
    input  logic D,
    input  logic SP,
    input  logic SCLK,
    input  logic CD,
    output logic Q
);
  always_ff @(posedge SCLK) if (SP) Q <= D;
endmodule

module ODDRX1F (
    input  logic SCLK,
    input  logic RST,
    input  logic D0,
    input  logic D1,
    output logic Q
);
  assign Q = SCLK ? D0 : D1;
endmodule

module TRELLIS_IO #(
    parameter DIR = "INPUT"
) (
    inout  wire  B,
    input  logic I,
    input  logic T,
    output logic O
);
  assign B = T ? 1'bz : I;
  assign O = B;
endmodule
