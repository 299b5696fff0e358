// The cells of a board's top level, as far as a simulation in cycles needs them. The clock's pin is the clock itself.

module SB_PLL40_PAD #(
    parameter FEEDBACK_PATH = "SIMPLE",
    parameter logic [3:0] DIVR = 4'd0,
    parameter logic [6:0] DIVF = 7'd0,
    parameter logic [2:0] DIVQ = 3'd1,
    parameter logic [2:0] FILTER_RANGE = 3'd1
) (
    input  logic       PACKAGEPIN,
    output logic       PLLOUTCORE,
    output logic       PLLOUTGLOBAL,
    input  logic       EXTFEEDBACK,
    input  logic [7:0] DYNAMICDELAY,
    output logic       LOCK,
    input  logic       BYPASS,
    input  logic       RESETB,
    input  logic       LATCHINPUTVALUE,
    output logic       SDO,
    input  logic       SDI,
    input  logic       SCLK
);
  // It takes a while until it is stable.
  logic [3:0] locked_q = '0;
  always_ff @(posedge PACKAGEPIN) locked_q <= {locked_q[2:0], 1'b1};
  assign LOCK = locked_q[3];
  assign PLLOUTCORE = PACKAGEPIN;
  assign PLLOUTGLOBAL = PACKAGEPIN;
endmodule

// What comes out behind a write is open in the data sheet; here it is what nobody expects.
module SB_SPRAM256KA (
    input  logic [13:0] ADDRESS,
    input  logic [15:0] DATAIN,
    input  logic [ 3:0] MASKWREN,
    input  logic        WREN,
    input  logic        CHIPSELECT,
    input  logic        CLOCK,
    input  logic        STANDBY,
    input  logic        SLEEP,
    input  logic        POWEROFF,
    output logic [15:0] DATAOUT
);
  logic [15:0] mem[16384];
  always_ff @(posedge CLOCK) begin
    if (CHIPSELECT && WREN) begin
      for (int i = 0; i < 4; i++) if (MASKWREN[i]) mem[ADDRESS][4*i+:4] <= DATAIN[4*i+:4];
      DATAOUT <= ~DATAOUT;
    end else if (CHIPSELECT) begin
      DATAOUT <= mem[ADDRESS];
    end
  end
endmodule

// A pad without registers: driven when enabled (101001), or by the low half's value while the clock is low (010001). The low half's value is
// one that was there at the clock's rising edge.
module SB_IO #(
    parameter logic [5:0] PIN_TYPE = 6'b101001
) (
    inout  wire  PACKAGE_PIN,
    input  logic OUTPUT_CLK,
    input  logic OUTPUT_ENABLE,
    input  logic D_OUT_0,
    input  logic D_OUT_1,
    output logic D_IN_0
);
  if (PIN_TYPE == 6'b010001) begin : gen_both_edges
    logic high_q;
    always_ff @(posedge OUTPUT_CLK) high_q <= D_OUT_0;
    assign PACKAGE_PIN = OUTPUT_CLK ? high_q : D_OUT_1;
  end else begin : gen_plain
    assign PACKAGE_PIN = OUTPUT_ENABLE ? D_OUT_0 : 1'bz;
  end
  assign D_IN_0 = PACKAGE_PIN;
endmodule
