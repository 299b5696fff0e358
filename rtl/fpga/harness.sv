/// The accelerator with its buses behind two pins, to be placed and timed by itself: what goes into it comes from a shift
/// register, what comes out is registered and leaves as its parity, so that no path begins or ends at a pin.
module harness #(
    /// As tessera_npu's.
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    parameter int unsigned CbufBytes = 131072,
    parameter int unsigned CbufBanks = 8,
    parameter int unsigned AccWords = 512,
    parameter int unsigned ParamGroups = 32,
    parameter int unsigned WindowRows = 2,
    parameter int unsigned WindowCols = 4,
    parameter int unsigned LineAtoms = 128,
    parameter int unsigned FoldBytes = 64,
    parameter int unsigned BusBytes = 8,
    parameter int unsigned PostLanes = 8,
    parameter int unsigned ReadOutstanding = 8,
    parameter int unsigned QueueDepth = 32,
    /// A bit for each feature of the command set that is built.
    parameter int unsigned Features = (1 << tessera_isa_pkg::NumFeatures) - 1,
    /// Multipliers of the array that are made of logic; the others are the chip's.
    parameter int unsigned LutMultipliers = 0
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic serial_i,
    output logic serial_o
);

  typedef struct packed {
    logic s_awvalid, s_wvalid, s_bready, s_arvalid, s_rready;
    logic m_arready, m_rvalid, m_rid, m_rlast, m_awready, m_wready, m_bvalid;
    logic [1:0] m_rresp, m_bresp;
    logic [11:0] s_awaddr, s_araddr;
    logic [31:0] s_wdata;
    logic [3:0] s_wstrb;
    logic [BusBytes*8-1:0] m_rdata;
  } inputs_t;

  typedef struct packed {
    logic s_awready, s_wready, s_bvalid, s_arready, s_rvalid;
    logic m_arvalid, m_arid, m_rready, m_awvalid, m_awid, m_wvalid, m_wlast, m_bready, irq;
    logic [1:0] s_bresp, s_rresp, m_arburst, m_awburst;
    logic [2:0] m_arsize, m_awsize;
    logic [7:0] m_arlen, m_awlen;
    logic [31:0] s_rdata, m_araddr, m_awaddr;
    logic [BusBytes*8-1:0] m_wdata;
    logic [BusBytes-1:0] m_wstrb;
  } outputs_t;

  logic rst_q;
  inputs_t in_q;
  outputs_t out, out_q;

  localparam int unsigned InputBits = $bits(in_q);
  localparam int unsigned Parities = ($bits(out_q) + 15) / 16;
  logic [Parities-1:0] parities_q;
  logic [Parities*16-1:0] padded;
  assign padded = (Parities * 16)'(out_q);

  always_ff @(posedge clk_i) begin
    rst_q <= rst_ni;
    in_q <= {in_q[InputBits-2:0], serial_i};
    out_q <= out;
    for (int unsigned p = 0; p < Parities; p++) parities_q[p] <= ^padded[p*16+:16];
    serial_o <= ^parities_q;
  end

  logic [2:0] mark_valid;
  logic [2:0][15:0] mark_id;
  logic [tessera_isa_pkg::NumCounters-1:0][47:0] counters;
  logic unused;
  assign unused = ^{mark_valid, mark_id, counters};

  tessera_npu #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .CbufBytes(CbufBytes),
      .CbufBanks(CbufBanks),
      .AccWords(AccWords),
      .ParamGroups(ParamGroups),
      .WindowRows(WindowRows),
      .WindowCols(WindowCols),
      .LineAtoms(LineAtoms),
      .FoldBytes(FoldBytes),
      .BusBytes(BusBytes),
      .PostLanes(PostLanes),
      .ReadOutstanding(ReadOutstanding),
      .QueueDepth(QueueDepth),
      .Features(Features),
      .LutMultipliers(LutMultipliers)
  ) u_npu (
      .clk_i,
      .rst_ni(rst_q),
      .s_awvalid_i(in_q.s_awvalid),
      .s_awready_o(out.s_awready),
      .s_awaddr_i(in_q.s_awaddr),
      .s_wvalid_i(in_q.s_wvalid),
      .s_wready_o(out.s_wready),
      .s_wdata_i(in_q.s_wdata),
      .s_wstrb_i(in_q.s_wstrb),
      .s_bvalid_o(out.s_bvalid),
      .s_bready_i(in_q.s_bready),
      .s_bresp_o(out.s_bresp),
      .s_arvalid_i(in_q.s_arvalid),
      .s_arready_o(out.s_arready),
      .s_araddr_i(in_q.s_araddr),
      .s_rvalid_o(out.s_rvalid),
      .s_rready_i(in_q.s_rready),
      .s_rdata_o(out.s_rdata),
      .s_rresp_o(out.s_rresp),
      .m_arvalid_o(out.m_arvalid),
      .m_arready_i(in_q.m_arready),
      .m_arid_o(out.m_arid),
      .m_araddr_o(out.m_araddr),
      .m_arlen_o(out.m_arlen),
      .m_arsize_o(out.m_arsize),
      .m_arburst_o(out.m_arburst),
      .m_rvalid_i(in_q.m_rvalid),
      .m_rready_o(out.m_rready),
      .m_rid_i(in_q.m_rid),
      .m_rdata_i(in_q.m_rdata),
      .m_rresp_i(in_q.m_rresp),
      .m_rlast_i(in_q.m_rlast),
      .m_awvalid_o(out.m_awvalid),
      .m_awready_i(in_q.m_awready),
      .m_awid_o(out.m_awid),
      .m_awaddr_o(out.m_awaddr),
      .m_awlen_o(out.m_awlen),
      .m_awsize_o(out.m_awsize),
      .m_awburst_o(out.m_awburst),
      .m_wvalid_o(out.m_wvalid),
      .m_wready_i(in_q.m_wready),
      .m_wdata_o(out.m_wdata),
      .m_wstrb_o(out.m_wstrb),
      .m_wlast_o(out.m_wlast),
      .m_bvalid_i(in_q.m_bvalid),
      .m_bready_o(out.m_bready),
      .m_bresp_i(in_q.m_bresp),
      .irq_o(out.irq),
      .trace_mark_valid_o(mark_valid),
      .trace_mark_id_o(mark_id),
      .trace_counters_o(counters)
  );

endmodule
