/// Second operands of additions and multiplications: words of one byte per kernel of a group. One is read in every cycle;
/// data comes one cycle later.
module operand_memory #(
    parameter int unsigned AtomicK = 8,
    /// A power of two.
    parameter int unsigned Words = 512
) (
    input  logic                 clk_i,
    input  logic                 we_i,
    input  logic [         11:0] waddr_i,
    input  logic [AtomicK*8-1:0] wdata_i,
    input  logic [         11:0] raddr_i,
    output logic [AtomicK*8-1:0] rdata_o
);

  localparam int unsigned AddrBits = $clog2(Words);

  ram_1r1w #(
      .Width(AtomicK * 8),
      .Depth(Words)
  ) u_words (
      .clk_i,
      .we_i,
      .waddr_i(AddrBits'(waddr_i)),
      .wdata_i,
      // What was not asked for nobody uses.
      .re_i(1'b1),
      .raddr_i(AddrBits'(raddr_i)),
      .rdata_o
  );

endmodule
