/// Bias, multiplier and shift of every kernel of the loaded kernel groups. Read PostLanes kernels
/// at once, one cycle after the request. Two kernels can be written at once: there is a memory for
/// every lane, and two at least.
module param_memory #(
    parameter int unsigned AtomicK = 8,
    /// Kernels per read, a divisor of AtomicK.
    parameter int unsigned PostLanes = 8,
    /// Kernel groups.
    parameter int unsigned Groups = 32
) (
    input  logic                       clk_i,
    input  logic                       we_i,
    input  logic [                9:0] group_i,
    input  logic [                6:0] channel_i,
    /// The next channel, too; the first one is even.
    input  logic                       pair_i,
    input  logic [          1:0][71:0] data_i,
    input  logic                       re_i,
    input  logic [                9:0] rgroup_i,
    /// Which PostLanes kernels of the group.
    input  logic [                6:0] rchunk_i,
    output logic [PostLanes-1:0][71:0] data_o
);

  localparam int unsigned Lanes = (PostLanes < 2) ? 2 : PostLanes;
  localparam int unsigned Chunks = AtomicK / Lanes;
  localparam int unsigned ChunkBits = $clog2(Chunks);
  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned Depth = Groups * Chunks;
  localparam int unsigned AddrBits = $clog2(Depth);

  logic [AddrBits-1:0] waddr, raddr;
  assign waddr = AddrBits'((17'(group_i) << ChunkBits) | (17'(channel_i) >> LaneBits));
  assign raddr = AddrBits'((17'(rgroup_i) << ChunkBits) | (17'(rchunk_i) >> $clog2(Lanes / PostLanes)));

  logic [Lanes-1:0][71:0] rdata;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lanes
    logic here, next_here;
    assign here = (channel_i & 7'(Lanes - 1)) == 7'(l);
    assign next_here = pair_i && ((channel_i + 7'd1) & 7'(Lanes - 1)) == 7'(l);
    ram_1r1w #(
        .Width(72),
        .Depth(Depth)
    ) u_lane (
        .clk_i,
        .we_i(we_i && (here || next_here)),
        .waddr_i(waddr),
        .wdata_i(here ? data_i[0] : data_i[1]),
        .re_i,
        .raddr_i(raddr),
        .rdata_o(rdata[l])
    );
  end

  if (Lanes == PostLanes) begin : gen_all
    assign data_o = rdata;
  end else begin : gen_one
    logic second_q;
    always_ff @(posedge clk_i) if (re_i) second_q <= rchunk_i[0];
    assign data_o[0] = second_q ? rdata[1] : rdata[0];
  end

endmodule
