/// The accelerator with everything it needs to run a network from a ROM: a clock, a reset and a
/// start pulse do. Activations lie in RAM on the chip; the host puts the inputs there and takes the
/// outputs, while nothing runs.
module tessera_boot #(
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
    /// Multipliers that are made of logic, the array's and then those of pitches; the others are the chip's.
    parameter int unsigned LutMultipliers = 0,
    /// As boot_memory's.
    parameter int unsigned HeaderBytes = 128,
    parameter int unsigned ConstantsBase = 0,
    parameter int unsigned ConstantsBytes = 1024,
    parameter int unsigned CommandsBase = 2048,
    parameter int unsigned CommandsBytes = 1024,
    parameter int unsigned ArenaBase = 1024,
    parameter int unsigned ArenaBytes = 1024
) (
    input  logic                  clk_i,
    /// Synchronous reset, active low.
    input  logic                  rst_ni,
    /// Runs up to the next work of the host, or all. Ignored while busy.
    input  logic                  start_i,
    /// With start_i: states begin anew.
    input  logic                  restart_i,
    output logic                  busy_o,
    output logic                  done_o,
    /// Runs that are done, as boot_front has it; 0 when all are.
    output logic [          15:0] runs_done_o,
    output logic                  error_o,
    /// As the command set has it, or one of boot_pkg's.
    output logic [           7:0] error_cause_o,
    output logic [          31:0] error_info_o,
    /// The ROM: words of BusBytes, data a cycle after the address.
    output logic                  rom_re_o,
    output logic [          31:0] rom_address_o,
    input  logic [BusBytes*8-1:0] rom_data_i,
    /// Activations, while not busy: words of BusBytes, data a cycle after the address.
    input  logic                  host_re_i,
    input  logic [          31:0] host_address_i,
    output logic [BusBytes*8-1:0] host_data_o,
    input  logic [  BusBytes-1:0] host_we_i,
    input  logic [BusBytes*8-1:0] host_data_i
);

  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  logic [11:0] awaddr, araddr;
  logic [31:0] wdata, rdata;
  logic [1:0] bresp, rresp;
  logic irq, front_re;
  logic [31:0] front_address;

  boot_front #(
      .BusBytes(BusBytes),
      .Checksums((Features >> tessera_isa_pkg::FeatureChecksums) % 2 == 1)
  ) u_front (
      .clk_i,
      .rst_ni,
      .start_i,
      .restart_i,
      .busy_o,
      .done_o,
      .runs_done_o,
      .error_o,
      .error_cause_o,
      .error_info_o,
      .rom_re_o(front_re),
      .rom_address_o(front_address),
      .rom_data_i,
      .m_awvalid_o(awvalid),
      .m_awready_i(awready),
      .m_awaddr_o(awaddr),
      .m_wvalid_o(wvalid),
      .m_wready_i(wready),
      .m_wdata_o(wdata),
      .m_bvalid_i(bvalid),
      .m_bready_o(bready),
      .m_bresp_i(bresp),
      .m_arvalid_o(arvalid),
      .m_arready_i(arready),
      .m_araddr_o(araddr),
      .m_rvalid_i(rvalid),
      .m_rready_o(rready),
      .m_rdata_i(rdata),
      .m_rresp_i(rresp),
      .irq_i(irq)
  );

  logic m_arvalid, m_arready, m_arid, m_rvalid, m_rready, m_rid, m_rlast;
  logic m_awvalid, m_awready, m_awid, m_wvalid, m_wready, m_wlast, m_bvalid, m_bready;
  logic [31:0] m_araddr, m_awaddr;
  logic [7:0] m_arlen, m_awlen;
  logic [2:0] m_arsize, m_awsize;
  logic [1:0] m_arburst, m_awburst, m_rresp, m_bresp;
  logic [BusBytes*8-1:0] m_rdata, m_wdata;
  logic [BusBytes-1:0] m_wstrb;
  logic [2:0] mark_valid;
  logic [2:0][15:0] mark_id;
  logic [tessera_isa_pkg::NumCounters-1:0][47:0] counters;

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
      .rst_ni,
      .s_awvalid_i(awvalid),
      .s_awready_o(awready),
      .s_awaddr_i(awaddr),
      .s_wvalid_i(wvalid),
      .s_wready_o(wready),
      .s_wdata_i(wdata),
      .s_wstrb_i(4'hF),
      .s_bvalid_o(bvalid),
      .s_bready_i(bready),
      .s_bresp_o(bresp),
      .s_arvalid_i(arvalid),
      .s_arready_o(arready),
      .s_araddr_i(araddr),
      .s_rvalid_o(rvalid),
      .s_rready_i(rready),
      .s_rdata_o(rdata),
      .s_rresp_o(rresp),
      .m_arvalid_o(m_arvalid),
      .m_arready_i(m_arready),
      .m_arid_o(m_arid),
      .m_araddr_o(m_araddr),
      .m_arlen_o(m_arlen),
      .m_arsize_o(m_arsize),
      .m_arburst_o(m_arburst),
      .m_rvalid_i(m_rvalid),
      .m_rready_o(m_rready),
      .m_rid_i(m_rid),
      .m_rdata_i(m_rdata),
      .m_rresp_i(m_rresp),
      .m_rlast_i(m_rlast),
      .m_awvalid_o(m_awvalid),
      .m_awready_i(m_awready),
      .m_awid_o(m_awid),
      .m_awaddr_o(m_awaddr),
      .m_awlen_o(m_awlen),
      .m_awsize_o(m_awsize),
      .m_awburst_o(m_awburst),
      .m_wvalid_o(m_wvalid),
      .m_wready_i(m_wready),
      .m_wdata_o(m_wdata),
      .m_wstrb_o(m_wstrb),
      .m_wlast_o(m_wlast),
      .m_bvalid_i(m_bvalid),
      .m_bready_o(m_bready),
      .m_bresp_i(m_bresp),
      .irq_o(irq),
      .trace_mark_valid_o(mark_valid),
      .trace_mark_id_o(mark_id),
      .trace_counters_o(counters)
  );

  boot_memory #(
      .BusBytes(BusBytes),
      .HeaderBytes(HeaderBytes),
      .ConstantsBase(ConstantsBase),
      .ConstantsBytes(ConstantsBytes),
      .CommandsBase(CommandsBase),
      .CommandsBytes(CommandsBytes),
      .ArenaBase(ArenaBase),
      .ArenaBytes(ArenaBytes)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .s_arvalid_i(m_arvalid),
      .s_arready_o(m_arready),
      .s_arid_i(m_arid),
      .s_araddr_i(m_araddr),
      .s_arlen_i(m_arlen),
      .s_rvalid_o(m_rvalid),
      .s_rready_i(m_rready),
      .s_rid_o(m_rid),
      .s_rdata_o(m_rdata),
      .s_rresp_o(m_rresp),
      .s_rlast_o(m_rlast),
      .s_awvalid_i(m_awvalid),
      .s_awready_o(m_awready),
      .s_awaddr_i(m_awaddr),
      .s_wvalid_i(m_wvalid),
      .s_wready_o(m_wready),
      .s_wdata_i(m_wdata),
      .s_wstrb_i(m_wstrb),
      .s_wlast_i(m_wlast),
      .s_bvalid_o(m_bvalid),
      .s_bready_i(m_bready),
      .s_bresp_o(m_bresp),
      .front_re_i(front_re),
      .front_address_i(front_address),
      .rom_re_o,
      .rom_address_o,
      .rom_data_i,
      .host_re_i,
      .host_address_i,
      .host_data_o,
      .host_we_i,
      .host_data_i
  );

  // Bursts are of full beats, one after the other: what else AXI says of them is known.
  logic unused;
  assign unused = ^{m_arsize, m_arburst, m_awid, m_awlen, m_awsize, m_awburst, mark_valid, mark_id,
                    counters};

endmodule
