/// A serial flash's pins. Its clock is pulsed in the second half of a cycle: what is sent then is there since half a cycle, what comes has
/// a whole one.
module flash_pads (
    input  logic       clk_i,
    input  logic       cs_ni,
    input  logic       sck_i,
    input  logic       drive_i,
    input  logic [1:0] io_i,
    output logic [1:0] io_o,
    output logic       cs_no,
    inout  wire        sck_pad_io,
    inout  wire  [1:0] pads_io
);

  localparam logic [5:0] BothEdges = 6'b010001;
  localparam logic [5:0] WithEnable = 6'b101001;

  assign cs_no = cs_ni;

  logic unused;
  SB_IO #(
      .PIN_TYPE(BothEdges)
  ) u_sck (
      .PACKAGE_PIN(sck_pad_io),
      .OUTPUT_CLK(clk_i),
      .OUTPUT_ENABLE(1'b1),
      .D_OUT_0(1'b0),
      .D_OUT_1(sck_i),
      .D_IN_0(unused)
  );

  for (genvar i = 0; i < 2; i++) begin : gen_line
    SB_IO #(
        .PIN_TYPE(WithEnable)
    ) u_line (
        .PACKAGE_PIN(pads_io[i]),
        .OUTPUT_CLK(clk_i),
        .OUTPUT_ENABLE(drive_i),
        .D_OUT_0(io_i[i]),
        .D_OUT_1(1'b0),
        .D_IN_0(io_o[i])
    );
  end

endmodule
