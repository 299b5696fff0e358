/// Tessera convolution accelerator: decoupled load, compute and store units that meet through
/// dependency tokens, between an AXI4 master for data and commands and an AXI4-Lite slave.
///
/// No output depends on an input within a cycle.
module tessera_npu #(
    /// Input channels per cycle: bytes per cbuf atom.
    parameter int unsigned AtomicC = 8,
    /// Output channels per cycle: a power of two.
    parameter int unsigned AtomicK = 8,
    /// Convolution buffer; atoms and banks are powers of two.
    parameter int unsigned CbufBytes = 131072,
    parameter int unsigned CbufBanks = 8,
    /// Accumulator words of AtomicK int32, a power of two of at most 4096.
    parameter int unsigned AccWords = 512,
    /// Kernel groups in the parameter memory, a power of two of at most 1024.
    parameter int unsigned ParamGroups = 32,
    /// Depthwise window: rows x columns are at most AtomicC; 0 rows: no depthwise convolutions. Others
    /// need AtomicC = AtomicK.
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
    parameter int unsigned QueueDepth = 32
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

  localparam int unsigned NumCounters = tessera_isa_pkg::NumCounters;
  localparam int unsigned CounterBits = 48;
  localparam int unsigned CbufAtoms = CbufBytes / AtomicC;
  // Operands come as atoms and are used as kernel groups: only square arrays have them.
  localparam int unsigned OperandWords = (AtomicC == AtomicK) ? AccWords : 0;

  // Control -------------------------------------------------------------------------------------

  logic start, clear, irq_enable, unit_rst_n, fetch_start, running, halt, busy, done, error;
  logic check;
  logic [31:0] command_address, command_bytes, command_checksum, watchdog, error_info;
  logic [20:0] cbuf_limit;
  logic [7:0] error_cause;
  logic [NumCounters-1:0][CounterBits-1:0] counters;

  register_file #(
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
      .CounterBits(CounterBits)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .s_awvalid_i,
      .s_awready_o,
      .s_awaddr_i,
      .s_wvalid_i,
      .s_wready_o,
      .s_wdata_i,
      .s_wstrb_i,
      .s_bvalid_o,
      .s_bready_i,
      .s_bresp_o,
      .s_arvalid_i,
      .s_arready_o,
      .s_araddr_i,
      .s_rvalid_o,
      .s_rready_i,
      .s_rdata_o,
      .s_rresp_o,
      .start_o(start),
      .clear_o(clear),
      .irq_enable_o(irq_enable),
      .command_address_o(command_address),
      .command_bytes_o(command_bytes),
      .check_o(check),
      .command_checksum_o(command_checksum),
      .cbuf_limit_o(cbuf_limit),
      .watchdog_o(watchdog),
      .busy_i(busy),
      .done_i(done),
      .error_i(error),
      .error_cause_i(error_cause),
      .error_info_i(error_info),
      .counters_i(counters)
  );

  logic [7:0] errors;
  logic [7:0][7:0] causes;
  logic [7:0][31:0] infos;
  logic finished, outstanding;

  run_control u_control (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .clear_i(clear),
      .command_address_i(command_address),
      .command_bytes_i(command_bytes),
      .finished_i(finished),
      .outstanding_i(outstanding),
      .errors_i(errors),
      .causes_i(causes),
      .infos_i(infos),
      .unit_rst_no(unit_rst_n),
      .fetch_start_o(fetch_start),
      .running_o(running),
      .halt_o(halt),
      .busy_o(busy),
      .done_o(done),
      .error_o(error),
      .error_cause_o(error_cause),
      .error_info_o(error_info)
  );

  assign irq_o = irq_enable && (done || error);

  // Front end and queues ------------------------------------------------------------------------

  logic fetch_ar_valid, fetch_ar_ready, fetch_r_ready, fetch_request, ended, blocked, fetch_error;
  logic [31:0] fetch_ar_address, fetch_error_info;
  logic [7:0] fetch_ar_len, fetch_error_cause;
  logic [12:0] fetch_request_bytes;
  logic [63:0] word;
  logic [2:0] queue_push, queue_full, queue_empty, queue_pop;
  logic [2:0][63:0] head;
  logic r_beat, r_fetch, r_load;
  // A unit sees a beat only in the cycle in which the bus hands it over.
  assign r_fetch = r_beat && !m_rid_i;
  assign r_load = r_beat && m_rid_i;

  command_fetch #(
      .BusBytes(BusBytes)
  ) u_fetch (
      .clk_i,
      .rst_ni(unit_rst_n),
      .halt_i(halt),
      .start_i(fetch_start),
      .address_i(command_address),
      .bytes_i(command_bytes),
      .check_i(check),
      .checksum_i(command_checksum),
      .ar_valid_o(fetch_ar_valid),
      .ar_ready_i(fetch_ar_ready),
      .ar_address_o(fetch_ar_address),
      .ar_len_o(fetch_ar_len),
      .r_valid_i(r_fetch),
      .r_ready_o(fetch_r_ready),
      .r_data_i(m_rdata_i),
      .request_valid_o(fetch_request),
      .request_bytes_o(fetch_request_bytes),
      .word_o(word),
      .push_o(queue_push),
      .full_i(queue_full),
      .ended_o(ended),
      .blocked_o(blocked),
      .error_o(fetch_error),
      .error_cause_o(fetch_error_cause),
      .error_info_o(fetch_error_info)
  );

  for (genvar u = 0; u < 3; u++) begin : gen_queues
    sync_fifo #(
        .Width(64),
        .Depth(QueueDepth)
    ) u_queue (
        .clk_i,
        .rst_ni (unit_rst_n),
        .push_i (queue_push[u]),
        .data_i (word),
        .full_o (queue_full[u]),
        .pop_i  (queue_pop[u]),
        .data_o (head[u]),
        .empty_o(queue_empty[u])
    );
  end

  // Tokens --------------------------------------------------------------------------------------

  // Directions: 0 load to compute, 1 compute to load, 2 compute to store, 3 store to compute,
  // 4 store to load.
  logic [4:0] token_post, token_take, token_available, token_overflow;
  for (genvar t = 0; t < 5; t++) begin : gen_tokens
    token_counter u_tokens (
        .clk_i,
        .rst_ni(unit_rst_n),
        .post_i(token_post[t]),
        .take_i(token_take[t]),
        .available_o(token_available[t]),
        .overflow_o(token_overflow[t])
    );
  end

  // Units ---------------------------------------------------------------------------------------

  logic [2:0] idle, waiting;
  logic load_ar_valid, load_ar_ready, load_r_ready, load_request, load_error;
  logic [31:0] load_ar_address, load_error_info;
  logic [7:0] load_ar_len, load_error_cause;
  logic [2:0] load_request_kind;
  logic [12:0] load_request_bytes;
  logic [AtomicC-1:0] cbuf_we;
  logic param_we, param_pair;
  logic [19:0] cbuf_waddr;
  logic [AtomicC*8-1:0] cbuf_wdata;
  logic [9:0] param_wgroup;
  logic [6:0] param_wchannel;
  logic [1:0][71:0] param_wdata;
  logic operand_we, table_we;
  logic [11:0] operand_waddr;
  logic [8:0] table_waddr;
  logic [31:0] table_wdata;

  load_unit #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .BusBytes(BusBytes),
      .ParamGroups(ParamGroups),
      .OperandWords(OperandWords),
      .FoldBytes(FoldBytes),
      .Outstanding(ReadOutstanding)
  ) u_load (
      .clk_i,
      .rst_ni(unit_rst_n),
      .halt_i(halt),
      .cmd_valid_i(!queue_empty[0]),
      .cmd_i(head[0]),
      .cmd_ready_o(queue_pop[0]),
      .compute_token_i(token_available[1]),
      .take_compute_o(token_take[1]),
      .store_token_i(token_available[4]),
      .take_store_o(token_take[4]),
      .post_compute_o(token_post[0]),
      .ar_valid_o(load_ar_valid),
      .ar_ready_i(load_ar_ready),
      .ar_address_o(load_ar_address),
      .ar_len_o(load_ar_len),
      .r_valid_i(r_load),
      .r_ready_o(load_r_ready),
      .r_data_i(m_rdata_i),
      .cbuf_limit_i(cbuf_limit),
      .cbuf_we_o(cbuf_we),
      .cbuf_address_o(cbuf_waddr),
      .cbuf_data_o(cbuf_wdata),
      .param_we_o(param_we),
      .param_pair_o(param_pair),
      .param_group_o(param_wgroup),
      .param_channel_o(param_wchannel),
      .param_data_o(param_wdata),
      .operand_we_o(operand_we),
      .operand_address_o(operand_waddr),
      .table_we_o(table_we),
      .table_address_o(table_waddr),
      .table_data_o(table_wdata),
      .mark_valid_o(trace_mark_valid_o[0]),
      .mark_id_o(trace_mark_id_o[0]),
      .request_valid_o(load_request),
      .request_kind_o(load_request_kind),
      .request_bytes_o(load_request_bytes),
      .idle_o(idle[0]),
      .waiting_o(waiting[0]),
      .error_o(load_error),
      .error_cause_o(load_error_cause),
      .error_info_o(load_error_info)
  );

  logic [AtomicC-1:0] keep_we;
  logic [19:0] keep_addr;
  logic [AtomicC*8-1:0] keep_data;
  logic keep_refused;
  logic feature_re, feature_refused, weight_re, drain, drain_wait, compute_error;
  logic [19:0] feature_addr, weight_addr;
  logic [AtomicC*8-1:0] feature_data, weight_data;
  logic [11:0] drain_addr;
  logic [AtomicK-1:0][31:0] drain_data;
  logic array_busy, stall_weights, stall_bank, wait_load, wait_store;
  logic [7:0] compute_error_cause;
  logic [31:0] compute_error_info;

  cbuf #(
      .AtomicC(AtomicC),
      .Atoms(CbufAtoms),
      .Banks(CbufBanks)
  ) u_cbuf (
      .clk_i,
      .we_i(cbuf_we),
      .waddr_i(cbuf_waddr),
      .wdata_i(cbuf_wdata),
      .keep_we_i(keep_we),
      .keep_addr_i(keep_addr),
      .keep_data_i(keep_data),
      .keep_conflict_o(keep_refused),
      .feature_re_i(feature_re),
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
      .LineAtoms(LineAtoms)
  ) u_compute (
      .clk_i,
      .rst_ni(unit_rst_n),
      .halt_i(halt),
      .cmd_valid_i(!queue_empty[1]),
      .cmd_i(head[1]),
      .cmd_ready_o(queue_pop[1]),
      .load_token_i(token_available[0]),
      .take_load_o(token_take[0]),
      .store_token_i(token_available[3]),
      .take_store_o(token_take[3]),
      .post_load_o(token_post[1]),
      .post_store_o(token_post[2]),
      .cbuf_limit_i(cbuf_limit),
      .feature_re_o(feature_re),
      .feature_addr_o(feature_addr),
      .feature_data_i(feature_data),
      .feature_refused_i(feature_refused),
      .weight_re_o(weight_re),
      .weight_addr_o(weight_addr),
      .weight_data_i(weight_data),
      .drain_i(drain),
      .drain_addr_i(drain_addr),
      .drain_wait_o(drain_wait),
      .drain_data_o(drain_data),
      .mark_valid_o(trace_mark_valid_o[1]),
      .mark_id_o(trace_mark_id_o[1]),
      .idle_o(idle[1]),
      .waiting_o(waiting[1]),
      .busy_o(array_busy),
      .stall_weights_o(stall_weights),
      .stall_bank_o(stall_bank),
      .wait_load_o(wait_load),
      .wait_store_o(wait_store),
      .error_o(compute_error),
      .error_cause_o(compute_error_cause),
      .error_info_o(compute_error_info)
  );

  logic param_re, store_request, store_outstanding, store_error;
  logic [9:0] param_rgroup;
  logic [6:0] param_rchunk;
  logic [PostLanes-1:0][71:0] param_rdata;
  logic [12:0] store_request_bytes;
  logic [7:0] store_error_cause;
  logic [31:0] store_error_info;

  param_memory #(
      .AtomicK(AtomicK),
      .PostLanes(PostLanes),
      .Groups(ParamGroups)
  ) u_params (
      .clk_i,
      .we_i(param_we),
      .pair_i(param_pair),
      .group_i(param_wgroup),
      .channel_i(param_wchannel),
      .data_i(param_wdata),
      .re_i(param_re),
      .rgroup_i(param_rgroup),
      .rchunk_i(param_rchunk),
      .data_o(param_rdata)
  );

  logic operand_re;
  logic [11:0] operand_raddr;
  logic [AtomicK*8-1:0] operand_rdata;

  operand_memory #(
      .AtomicK(AtomicK),
      .Words  (OperandWords)
  ) u_operands (
      .clk_i,
      .we_i(operand_we),
      .waddr_i(operand_waddr),
      .wdata_i((AtomicK * 8)'(cbuf_wdata)),
      .re_i(operand_re),
      .raddr_i(operand_raddr),
      .rdata_o(operand_rdata)
  );

  store_unit #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .BusBytes(BusBytes),
      .PostLanes(PostLanes),
      .AccWords(AccWords),
      .ParamGroups(ParamGroups),
      .OperandWords(OperandWords)
  ) u_store (
      .clk_i,
      .rst_ni(unit_rst_n),
      .halt_i(halt),
      .cmd_valid_i(!queue_empty[2]),
      .cmd_i(head[2]),
      .cmd_ready_o(queue_pop[2]),
      .compute_token_i(token_available[2]),
      .take_compute_o(token_take[2]),
      .post_compute_o(token_post[3]),
      .post_load_o(token_post[4]),
      .acc_re_o(drain),
      .acc_addr_o(drain_addr),
      .acc_wait_i(drain_wait),
      .acc_data_i(drain_data),
      .param_re_o(param_re),
      .param_group_o(param_rgroup),
      .param_chunk_o(param_rchunk),
      .param_data_i(param_rdata),
      .operand_re_o(operand_re),
      .operand_addr_o(operand_raddr),
      .operand_data_i(operand_rdata),
      .table_we_i(table_we),
      .table_addr_i(table_waddr),
      .table_data_i(table_wdata),
      .cbuf_limit_i(cbuf_limit),
      .keep_we_o(keep_we),
      .keep_address_o(keep_addr),
      .keep_data_o(keep_data),
      .keep_refused_i(keep_refused),
      .aw_valid_o(m_awvalid_o),
      .aw_ready_i(m_awready_i),
      .aw_address_o(m_awaddr_o),
      .aw_len_o(m_awlen_o),
      .w_valid_o(m_wvalid_o),
      .w_ready_i(m_wready_i),
      .w_data_o(m_wdata_o),
      .w_strb_o(m_wstrb_o),
      .w_last_o(m_wlast_o),
      .b_valid_i(m_bvalid_i),
      .mark_valid_o(trace_mark_valid_o[2]),
      .mark_id_o(trace_mark_id_o[2]),
      .request_valid_o(store_request),
      .request_bytes_o(store_request_bytes),
      .outstanding_o(store_outstanding),
      .idle_o(idle[2]),
      .waiting_o(waiting[2]),
      .error_o(store_error),
      .error_cause_o(store_error_cause),
      .error_info_o(store_error_info)
  );

  // Bus -----------------------------------------------------------------------------------------

  read_arbiter u_read_arbiter (
      .clk_i,
      .rst_ni(unit_rst_n),
      .fetch_valid_i(fetch_ar_valid),
      .fetch_ready_o(fetch_ar_ready),
      .fetch_address_i(fetch_ar_address),
      .fetch_len_i(fetch_ar_len),
      .load_valid_i(load_ar_valid),
      .load_ready_o(load_ar_ready),
      .load_address_i(load_ar_address),
      .load_len_i(load_ar_len),
      .ar_valid_o(m_arvalid_o),
      .ar_ready_i(m_arready_i),
      .ar_id_o(m_arid_o),
      .ar_address_o(m_araddr_o),
      .ar_len_o(m_arlen_o)
  );

  assign m_arsize_o = 3'($clog2(BusBytes));
  assign m_arburst_o = 2'b01;
  assign m_awid_o = 1'b0;
  assign m_awsize_o = 3'($clog2(BusBytes));
  assign m_awburst_o = 2'b01;
  assign m_bready_o = 1'b1;
  // Both sinks take data whenever they can, whoever it is for: ready depends on no input.
  assign m_rready_o = fetch_r_ready && load_r_ready;

  logic w_beat, r_error, b_error;
  assign r_beat = m_rvalid_i && m_rready_o;
  assign w_beat = m_wvalid_o && m_wready_i;
  assign r_error = r_beat && m_rresp_i[1];
  assign b_error = m_bvalid_i && m_bresp_i[1];

  logic [7:0] read_bursts_q;  // requested, last beat to come
  logic request;
  assign request = (fetch_ar_valid && fetch_ar_ready) || (load_ar_valid && load_ar_ready);
  always_ff @(posedge clk_i) begin
    if (!unit_rst_n) read_bursts_q <= '0;
    else read_bursts_q <= read_bursts_q + 8'(request) - 8'(r_beat && m_rlast_i);
  end
  assign outstanding = read_bursts_q != '0 || store_outstanding;

  // Errors and the end --------------------------------------------------------------------------

  logic deadlock, timeout, front_stuck;
  assign front_stuck = ended || blocked;
  assign finished = ended && (&idle) && !outstanding;

  stall_monitor u_stall_monitor (
      .clk_i,
      .rst_ni(unit_rst_n),
      .running_i(running && !halt),
      .idle_i(idle),
      .waiting_i(waiting),
      .front_stuck_i(front_stuck),
      .progress_i(r_beat || w_beat || array_busy || (|(queue_pop & ~queue_empty)) || (|queue_push)),
      .watchdog_i(watchdog),
      .deadlock_o(deadlock),
      .timeout_o(timeout)
  );

  assign errors = {
        timeout, deadlock, |token_overflow, store_error, compute_error, load_error,
        r_error || b_error, fetch_error
      };
  assign causes = {
        tessera_isa_pkg::ErrorWatchdog,
        tessera_isa_pkg::ErrorDeadlock,
        tessera_isa_pkg::ErrorTokenOverflow,
        store_error_cause,
        compute_error_cause,
        load_error_cause,
        r_error ? tessera_isa_pkg::ErrorReadBus : tessera_isa_pkg::ErrorWriteBus,
        fetch_error_cause
      };
  assign infos = {
        {29'd0, ~idle},
        {29'd0, waiting},
        {27'd0, token_overflow},
        store_error_info,
        compute_error_info,
        load_error_info,
        r_error ? {23'd0, !m_rid_i, 6'd0, m_rresp_i} : {30'd0, m_bresp_i},
        fetch_error_info
      };

  // Counters ------------------------------------------------------------------------------------

  logic [NumCounters-1:0] add;
  logic [NumCounters-1:0][12:0] step;
  logic load_feature, load_weight, load_param;
  assign load_feature = load_request &&
      (load_request_kind == tessera_isa_pkg::LoadKindFeature ||
       load_request_kind == tessera_isa_pkg::LoadKindOperand);
  assign load_weight = load_request && load_request_kind == tessera_isa_pkg::LoadKindWeight;
  assign load_param = load_request &&
      (load_request_kind == tessera_isa_pkg::LoadKindParam ||
       load_request_kind == tessera_isa_pkg::LoadKindTable);

  always_comb begin
    add = '0;
    step = {NumCounters{13'd1}};
    add[tessera_isa_pkg::CounterCycles] = running;
    add[tessera_isa_pkg::CounterArrayBusy] = running && array_busy;
    add[tessera_isa_pkg::CounterStallWeights] = running && stall_weights;
    add[tessera_isa_pkg::CounterStallBank] = running && stall_bank;
    add[tessera_isa_pkg::CounterWaitLoad] = running && wait_load;
    add[tessera_isa_pkg::CounterWaitStore] = running && wait_store;
    add[tessera_isa_pkg::CounterComputeOther] = running &&
        !(array_busy || stall_weights || stall_bank || wait_load || wait_store);
    add[tessera_isa_pkg::CounterReadCommandBytes] = fetch_request;
    step[tessera_isa_pkg::CounterReadCommandBytes] = fetch_request_bytes;
    add[tessera_isa_pkg::CounterReadFeatureBytes] = load_feature;
    step[tessera_isa_pkg::CounterReadFeatureBytes] = load_request_bytes;
    add[tessera_isa_pkg::CounterReadWeightBytes] = load_weight;
    step[tessera_isa_pkg::CounterReadWeightBytes] = load_request_bytes;
    add[tessera_isa_pkg::CounterReadParamBytes] = load_param;
    step[tessera_isa_pkg::CounterReadParamBytes] = load_request_bytes;
    add[tessera_isa_pkg::CounterWriteBytes] = store_request;
    step[tessera_isa_pkg::CounterWriteBytes] = store_request_bytes;
    add[tessera_isa_pkg::CounterReadBeats] = r_beat;
    add[tessera_isa_pkg::CounterWriteBeats] = w_beat;
  end

  for (genvar i = 0; i < NumCounters; i++) begin : gen_counters
    perf_counter #(
        .Bits(CounterBits),
        .StepBits(13)
    ) u_counter (
        .clk_i,
        .rst_ni(rst_ni && !clear),
        .add_i(add[i]),
        .step_i(step[i]),
        .count_o(counters[i])
    );
  end

  assign trace_counters_o = (|trace_mark_valid_o) ? counters : '0;

endmodule
