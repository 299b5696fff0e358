/// Bias, multiplier and shift of every kernel of the loaded kernel groups. Gives PostLanes kernels
/// at once, a cycle after it was said which. There is a memory for every lane, and two at least where two kernels are
/// written at once.
module param_memory #(
    parameter int unsigned AtomicK = 8,
    /// Kernels per read, a power of two.
    parameter int unsigned PostLanes = 8,
    /// Kernel groups.
    parameter int unsigned Groups = 32,
    /// Two kernels can be written at once.
    parameter bit Pairs = 1'b1
) (
    input  logic                       clk_i,
    /// The first one of two is even.
    input  unit_pkg::param_write_t     write_i,
    /// `chunk`: which PostLanes kernels of the group.
    input  unit_pkg::param_read_t      read_i,
    output logic [PostLanes-1:0][71:0] data_o
);

  localparam int unsigned Lanes = (PostLanes < 2 && Pairs) ? 2 : PostLanes;
  localparam int unsigned Chunks = (AtomicK + Lanes - 1) / Lanes;  // of a group
  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned Depth = Groups * Chunks;
  localparam int unsigned AddrBits = $clog2(Depth);

  logic [AddrBits-1:0] waddr, raddr;
  assign waddr = AddrBits'(compute_pkg::times(20'(write_i.group), 9'(Chunks)) + (20'(write_i.channel) >> LaneBits));
  assign raddr = AddrBits'(compute_pkg::times(20'(read_i.group), 9'(Chunks)) + (20'(read_i.chunk) >> $clog2(Lanes / PostLanes)));

  logic [Lanes-1:0][71:0] rdata;

  for (genvar l = 0; l < Lanes; l++) begin : gen_lanes
    logic here, next_here;
    assign here = (write_i.channel & 7'(Lanes - 1)) == 7'(l);
    assign next_here = Pairs && write_i.pair && ((write_i.channel + 7'd1) & 7'(Lanes - 1)) == 7'(l);
    ram_1r1w #(
        .Width(72),
        .Depth(Depth)
    ) u_lane (
        .clk_i,
        .we_i(write_i.we && (here || next_here)),
        .waddr_i(waddr),
        .wdata_i(here ? write_i.first : write_i.second),
        // What was not asked for nobody uses.
        .re_i(1'b1),
        .raddr_i(raddr),
        .rdata_o(rdata[l])
    );
  end

  if (Lanes == PostLanes) begin : gen_all
    assign data_o = rdata;
  end else begin : gen_one
    logic second_q;
    always_ff @(posedge clk_i) second_q <= read_i.chunk[0];
    assign data_o[0] = second_q ? rdata[1] : rdata[0];
  end

endmodule
