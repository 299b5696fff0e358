/// Memory with one synchronous read port and one write port that writes single bytes. What
/// a read of the word that is being written in the same cycle returns is open: tokens and bypasses
/// keep everybody from asking. Not reset.
module ram_1r1w_bytes #(
    /// Bytes per word.
    parameter int unsigned Bytes = 8,
    /// Words.
    parameter int unsigned Depth = 256,
    /// Derived, not to be set.
    parameter int unsigned AddrBits = (Depth > 1) ? $clog2(Depth) : 1
) (
    input  logic                clk_i,
    /// Writes these bytes of `wdata_i` to `waddr_i`.
    input  logic [   Bytes-1:0] we_i,
    input  logic [AddrBits-1:0] waddr_i,
    input  logic [ Bytes*8-1:0] wdata_i,
    /// Reads `raddr_i`; `rdata_o` changes one cycle later and holds until the next read.
    input  logic                re_i,
    input  logic [AddrBits-1:0] raddr_i,
    output logic [ Bytes*8-1:0] rdata_o
);

  // Without logic around the block RAM that would settle it.
  (* no_rw_check *) logic [Bytes*8-1:0] mem[Depth];
  logic [Bytes*8-1:0] rdata_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < Bytes; b++) begin
      if (we_i[b]) mem[waddr_i][b*8+:8] <= wdata_i[b*8+:8];
    end
  end

  always_ff @(posedge clk_i) begin
    if (re_i) rdata_q <= mem[raddr_i];
  end

  assign rdata_o = rdata_q;

endmodule
