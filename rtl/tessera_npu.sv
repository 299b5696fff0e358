/// Tessera convolution accelerator: decoupled load, compute and store units that meet through
/// dependency tokens, between an AXI4 master for data and commands and an AXI4-Lite slave.
///
/// No output depends on an input within a cycle.
module tessera_npu #(
    /// Input channels per cycle: bytes per cbuf atom.
    parameter int unsigned AtomicC = 8,
    /// Output channels per cycle. Both are even.
    parameter int unsigned AtomicK = 8,
    /// Convolution buffer: banks of as many whole atoms each.
    parameter int unsigned CbufBytes = 131072,
    parameter int unsigned CbufBanks = 8,
    /// Accumulator words of AtomicK int32, a power of two of at most 4096.
    parameter int unsigned AccWords = 512,
    /// Kernel groups in the parameter memory, a power of two of at most 1024.
    parameter int unsigned ParamGroups = 32,
    /// Depthwise window: rows x columns are at most AtomicC.
    parameter int unsigned WindowRows = 2,
    parameter int unsigned WindowCols = 4,
    /// Columns that the window's line memories hold, a power of two of at most 2048.
    parameter int unsigned LineAtoms = 128,
    /// Most bytes of a unit of folding loads, a power of two from BusBytes to 64.
    parameter int unsigned FoldBytes = 64,
    /// Bytes per beat, a power of two.
    parameter int unsigned BusBytes = 8,
    /// Kernels requantised per cycle, a power of two, at most AtomicK.
    parameter int unsigned PostLanes = 8,
    /// Read bursts of the load unit under way at most, a power of two.
    parameter int unsigned ReadOutstanding = 8,
    /// Words per command queue, a power of two.
    parameter int unsigned QueueDepth = 32,
    /// A bit for each feature of the command set that is built.
    parameter int unsigned Features = (1 << tessera_isa_pkg::NumFeatures) - 1,
    /// Multipliers that are made of logic, the array's and then those of pitches; the others are the chip's.
    parameter int unsigned LutMultipliers = 0
) (
    input  logic                  clk_i,
    /// Synchronous reset, active low.
    input  logic                  rst_ni,
    /// AXI4-Lite slave.
    input  logic                  s_awvalid_i,
    output logic                  s_awready_o,
    input  logic [          11:0] s_awaddr_i,
    input  logic                  s_wvalid_i,
    output logic                  s_wready_o,
    input  logic [          31:0] s_wdata_i,
    input  logic [           3:0] s_wstrb_i,
    output logic                  s_bvalid_o,
    input  logic                  s_bready_i,
    output logic [           1:0] s_bresp_o,
    input  logic                  s_arvalid_i,
    output logic                  s_arready_o,
    input  logic [          11:0] s_araddr_i,
    output logic                  s_rvalid_o,
    input  logic                  s_rready_i,
    output logic [          31:0] s_rdata_o,
    output logic [           1:0] s_rresp_o,
    /// AXI4 master; ID 0: commands, 1: data. Bursts are INCR of full-width beats.
    output logic                  m_arvalid_o,
    input  logic                  m_arready_i,
    output logic                  m_arid_o,
    output logic [          31:0] m_araddr_o,
    output logic [           7:0] m_arlen_o,
    output logic [           2:0] m_arsize_o,
    output logic [           1:0] m_arburst_o,
    input  logic                  m_rvalid_i,
    output logic                  m_rready_o,
    input  logic                  m_rid_i,
    input  logic [BusBytes*8-1:0] m_rdata_i,
    input  logic [           1:0] m_rresp_i,
    input  logic                  m_rlast_i,
    output logic                  m_awvalid_o,
    input  logic                  m_awready_i,
    output logic                  m_awid_o,
    output logic [          31:0] m_awaddr_o,
    output logic [           7:0] m_awlen_o,
    output logic [           2:0] m_awsize_o,
    output logic [           1:0] m_awburst_o,
    output logic                  m_wvalid_o,
    input  logic                  m_wready_i,
    output logic [BusBytes*8-1:0] m_wdata_o,
    output logic [  BusBytes-1:0] m_wstrb_o,
    output logic                  m_wlast_o,
    input  logic                  m_bvalid_i,
    output logic                  m_bready_o,
    input  logic [           1:0] m_bresp_i,
    /// Done or error, while enabled.
    output logic                  irq_o,
    /// Trace port. Bit 0: load, 1: compute, 2: store unit has reached a mark.
    output logic [           2:0] trace_mark_valid_o,
    output logic [     2:0][15:0] trace_mark_id_o,
    /// Counters, in the order of the command set, while a mark is reported; zero otherwise.
    output logic [tessera_isa_pkg::NumCounters-1:0][47:0] trace_counters_o
);

  localparam int unsigned CbufAtoms = CbufBytes / AtomicC;
  localparam int unsigned OperandWords = AccWords;

  // Control: registers, runs, errors, counters. The units hold nothing from one run to the next.
  logic unit_rst_n, halt;
  logic [20:0] cbuf_limit;
  unit_pkg::run_t run;
  unit_pkg::front_status_t front_status;
  unit_pkg::status_t load_status, compute_status, store_status;
  unit_pkg::tokens_t token_overflow;
  unit_pkg::activity_t activity;
  bus_pkg::requested_t fetch_bytes, load_bytes, store_bytes;
  bus_pkg::events_t bus_events;
  bus_pkg::lite_response_t lite;
  logic [tessera_isa_pkg::NumCounters-1:0][47:0] counters;

  npu_control #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .CbufBytes(CbufBytes),
      .AccWords(AccWords),
      .ParamGroups(ParamGroups),
      .WindowRows(WindowRows),
      .WindowCols(WindowCols),
      .LineAtoms(LineAtoms),
      .FoldBytes(FoldBytes),
      .BusBytes(BusBytes),
      .Features(Features)
  ) u_control (
      .clk_i,
      .rst_ni,
      .lite_i({s_awvalid_i, s_awaddr_i, s_wvalid_i, s_wdata_i, s_wstrb_i, s_bready_i, s_arvalid_i,
               s_araddr_i, s_rready_i}),
      .lite_o(lite),
      .irq_o,
      .unit_rst_no(unit_rst_n),
      .run_o(run),
      .halt_o(halt),
      .cbuf_limit_o(cbuf_limit),
      .front_i(front_status),
      .load_i(load_status),
      .compute_i(compute_status),
      .store_i(store_status),
      .overflow_i(token_overflow),
      .bus_i(bus_events),
      .activity_i(activity),
      .fetch_bytes_i(fetch_bytes),
      .load_bytes_i(load_bytes),
      .store_bytes_i(store_bytes),
      .counters_o(counters)
  );
  assign {s_awready_o, s_wready_o, s_bvalid_o, s_bresp_o, s_arready_o, s_rvalid_o, s_rdata_o,
          s_rresp_o} = lite;

  // Commands, and the tokens with which the units that execute them wait for each other.
  bus_pkg::burst_t fetch_ar, load_ar, read_ar, write_aw;
  logic fetch_ar_ready, fetch_r_valid, fetch_r_ready, load_ar_ready, load_r_valid, load_r_ready;
  unit_pkg::command_t load_command, compute_command, store_command;
  logic load_pop, compute_pop, store_pop;

  front_end #(
      .BusBytes(BusBytes),
      .QueueDepth(QueueDepth),
      .Features(Features)
  ) u_front (
      .clk_i,
      .rst_ni(unit_rst_n),
      .halt_i(halt),
      .run_i(run),
      .ar_o(fetch_ar),
      .ar_ready_i(fetch_ar_ready),
      .r_valid_i(fetch_r_valid),
      .r_ready_o(fetch_r_ready),
      .r_data_i(m_rdata_i),
      .requested_o(fetch_bytes),
      .load_o(load_command),
      .compute_o(compute_command),
      .store_o(store_command),
      .pop_i({store_pop, compute_pop, load_pop}),
      .status_o(front_status)
  );

  unit_pkg::tokens_t tokens, load_take, compute_take, store_take, load_post, compute_post, store_post;

  token_bank u_tokens (
      .clk_i,
      .rst_ni(unit_rst_n),
      .post_i(load_post | compute_post | store_post),
      .take_i(load_take | compute_take | store_take),
      .available_o(tokens),
      .overflow_o(token_overflow)
  );

  // Load: external memory to the cbuf and to the memories of the store unit.
  logic cbuf_write;
  logic [AtomicC-1:0] cbuf_we;
  logic [19:0] cbuf_waddr;
  logic [AtomicC*8-1:0] cbuf_wdata;
  logic operand_we;
  logic [11:0] operand_addr;
  logic [AtomicK*8-1:0] operand_data;
  unit_pkg::param_write_t param_write;
  unit_pkg::table_write_t table_write;

  load_unit #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .BusBytes(BusBytes),
      .ParamGroups(ParamGroups),
      .OperandWords(OperandWords),
      .FoldBytes(FoldBytes),
      .Outstanding(ReadOutstanding),
      .Features(Features)
  ) u_load (
      .clk_i,
      .rst_ni(unit_rst_n),
      .halt_i(halt),
      .cmd_i(load_command),
      .cmd_ready_o(load_pop),
      .tokens_i(tokens),
      .take_o(load_take),
      .post_o(load_post),
      .ar_o(load_ar),
      .ar_ready_i(load_ar_ready),
      .r_valid_i(load_r_valid),
      .r_ready_o(load_r_ready),
      .r_data_i(m_rdata_i),
      .cbuf_limit_i(cbuf_limit),
      .cbuf_write_o(cbuf_write),
      .cbuf_we_o(cbuf_we),
      .cbuf_address_o(cbuf_waddr),
      .cbuf_data_o(cbuf_wdata),
      .param_o(param_write),
      .operand_we_o(operand_we),
      .operand_address_o(operand_addr),
      .operand_data_o(operand_data),
      .table_o(table_write),
      .requested_o(load_bytes),
      .status_o(load_status)
  );

  // Compute: the cbuf through the array into the accumulators.
  logic feature_refused, weight_re, drain_wait, keep_refused;
  logic [19:0] feature_addr, weight_addr, keep_addr;
  logic [AtomicC*8-1:0] feature_data, weight_data, keep_data;
  logic [AtomicC-1:0] keep_we;
  logic [11:0] drain_addr;
  logic [AtomicK-1:0][31:0] drain_data;

  cbuf #(
      .AtomicC(AtomicC),
      .Atoms(CbufAtoms),
      .Banks(CbufBanks)
  ) u_cbuf (
      .clk_i,
      .write_i(cbuf_write),
      .we_i(cbuf_we),
      .waddr_i(cbuf_waddr),
      .wdata_i(cbuf_wdata),
      .keep_we_i(keep_we),
      .keep_addr_i(keep_addr),
      .keep_data_i(keep_data),
      .keep_conflict_o(keep_refused),
      .feature_addr_i(feature_addr),
      .feature_data_o(feature_data),
      .weight_re_i(weight_re),
      .weight_addr_i(weight_addr),
      .weight_data_o(weight_data),
      .conflict_o(feature_refused)
  );

  compute_unit #(
      .AtomicC (AtomicC),
      .AtomicK (AtomicK),
      .AccWords(AccWords),
      .WindowRows(WindowRows),
      .WindowCols(WindowCols),
      .LineAtoms(LineAtoms),
      .Features(Features),
      .LutMultipliers(LutMultipliers)
  ) u_compute (
      .clk_i,
      .rst_ni(unit_rst_n),
      .halt_i(halt),
      .cmd_i(compute_command),
      .cmd_ready_o(compute_pop),
      .tokens_i(tokens),
      .take_o(compute_take),
      .post_o(compute_post),
      .cbuf_limit_i(cbuf_limit),
      .feature_addr_o(feature_addr),
      .feature_data_i(feature_data),
      .feature_refused_i(feature_refused),
      .weight_re_o(weight_re),
      .weight_addr_o(weight_addr),
      .weight_data_i(weight_data),
      .drain_addr_i(drain_addr),
      .drain_wait_o(drain_wait),
      .drain_data_o(drain_data),
      .activity_o(activity),
      .status_o(compute_status)
  );

  // Store: accumulators through the requantiser to external memory and back to the cbuf.
  logic store_outstanding;

  store_unit #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .BusBytes(BusBytes),
      .PostLanes(PostLanes),
      .AccWords(AccWords),
      .ParamGroups(ParamGroups),
      .OperandWords(OperandWords),
      .Features(Features)
  ) u_store (
      .clk_i,
      .rst_ni(unit_rst_n),
      .halt_i(halt),
      .cmd_i(store_command),
      .cmd_ready_o(store_pop),
      .tokens_i(tokens),
      .take_o(store_take),
      .post_o(store_post),
      .acc_addr_o(drain_addr),
      .acc_wait_i(drain_wait),
      .acc_data_i(drain_data),
      .param_i(param_write),
      .table_i(table_write),
      .operand_we_i(operand_we),
      .operand_addr_i(operand_addr),
      .operand_data_i(operand_data),
      .cbuf_limit_i(cbuf_limit),
      .keep_we_o(keep_we),
      .keep_address_o(keep_addr),
      .keep_data_o(keep_data),
      .keep_refused_i(keep_refused),
      .aw_o(write_aw),
      .aw_ready_i(m_awready_i),
      .w_valid_o(m_wvalid_o),
      .w_ready_i(m_wready_i),
      .w_data_o(m_wdata_o),
      .w_strb_o(m_wstrb_o),
      .w_last_o(m_wlast_o),
      .b_valid_i(m_bvalid_i),
      .requested_o(store_bytes),
      .outstanding_o(store_outstanding),
      .status_o(store_status)
  );

  // Bus.
  logic read_outstanding, read_beat;

  read_port u_read_port (
      .clk_i,
      .rst_ni(unit_rst_n),
      .fetch_i(fetch_ar),
      .fetch_ready_o(fetch_ar_ready),
      .fetch_r_ready_i(fetch_r_ready),
      .fetch_r_valid_o(fetch_r_valid),
      .load_i(load_ar),
      .load_ready_o(load_ar_ready),
      .load_r_ready_i(load_r_ready),
      .load_r_valid_o(load_r_valid),
      .outstanding_o(read_outstanding),
      .beat_o(read_beat),
      .ar_o(read_ar),
      .arid_o(m_arid_o),
      .arready_i(m_arready_i),
      .rvalid_i(m_rvalid_i),
      .rready_o(m_rready_o),
      .rid_i(m_rid_i),
      .rlast_i(m_rlast_i)
  );

  assign {m_arvalid_o, m_araddr_o, m_arlen_o} = read_ar;
  assign {m_awvalid_o, m_awaddr_o, m_awlen_o} = write_aw;
  assign m_arsize_o = 3'($clog2(BusBytes));
  assign m_arburst_o = 2'b01;
  assign m_awsize_o = 3'($clog2(BusBytes));
  assign m_awburst_o = 2'b01;
  assign m_awid_o = 1'b0;
  assign m_bready_o = 1'b1;
  assign bus_events = {
        read_beat, m_wvalid_o && m_wready_i,
        {read_beat && m_rresp_i[1], m_rid_i, m_rresp_i, m_bvalid_i && m_bresp_i[1], m_bresp_i},
        read_outstanding || store_outstanding
      };

  assign trace_mark_valid_o = {
        store_status.mark.valid, compute_status.mark.valid, load_status.mark.valid
      };
  assign trace_mark_id_o = {store_status.mark.id, compute_status.mark.id, load_status.mark.id};
  assign trace_counters_o = (|trace_mark_valid_o) ? counters : '0;

endmodule
