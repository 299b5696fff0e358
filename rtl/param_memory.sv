/// Bias, multiplier and shift of every kernel of the loaded kernel groups. Read PostLanes kernels
/// at once, one cycle after the request.
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
    input  logic [               71:0] data_i,
    input  logic                       re_i,
    input  logic [                9:0] rgroup_i,
    /// Which PostLanes kernels of the group.
    input  logic [                6:0] rchunk_i,
    output logic [PostLanes-1:0][71:0] data_o
);

  localparam int unsigned Chunks = AtomicK / PostLanes;
  localparam int unsigned ChunkBits = $clog2(Chunks);
  localparam int unsigned LaneBits = $clog2(PostLanes);
  localparam int unsigned Depth = Groups * Chunks;
  localparam int unsigned AddrBits = $clog2(Depth);

  logic [AddrBits-1:0] waddr, raddr;
  assign waddr = AddrBits'((17'(group_i) << ChunkBits) | (17'(channel_i) >> LaneBits));
  assign raddr = AddrBits'((17'(rgroup_i) << ChunkBits) | 17'(rchunk_i));

  for (genvar l = 0; l < PostLanes; l++) begin : gen_lanes
    ram_1r1w #(
        .Width(72),
        .Depth(Depth)
    ) u_lane (
        .clk_i,
        .we_i(we_i && (channel_i & 7'(PostLanes - 1)) == 7'(l)),
        .waddr_i(waddr),
        .wdata_i(data_i),
        .re_i,
        .raddr_i(raddr),
        .rdata_o(data_o[l])
    );
  end

endmodule
