/// Tessera convolution accelerator for chips that have little room: a microcontroller executes the command stream, one command after the
/// other, with a reader, a writer and an array that nobody else uses. Registers, command set, buses and parameters are those of the
/// accelerator with units, whose top level has the same name: one of the two is in a list of sources. Features of the command set: none.
///
/// No output depends on an input within a cycle.
module tessera_npu #(
    /// Input channels per cycle: bytes per cbuf atom.
    parameter int unsigned AtomicC = 2,
    /// Output channels per cycle.
    parameter int unsigned AtomicK = 2,
    /// Convolution buffer: whole atoms.
    parameter int unsigned CbufBytes = 8192,
    /// Not of this one: there is one bank.
    parameter int unsigned CbufBanks = 1,
    /// Accumulator words of AtomicK int32, a power of two of at most 4096.
    parameter int unsigned AccWords = 128,
    /// Kernel groups in the parameter memory, a power of two of at most 1024.
    parameter int unsigned ParamGroups = 64,
    /// Not of this one: there is no depthwise window, nothing folds.
    parameter int unsigned WindowRows = 1,
    parameter int unsigned WindowCols = 1,
    parameter int unsigned LineAtoms = 16,
    parameter int unsigned FoldBytes = 4,
    /// Bytes per beat, a power of two.
    parameter int unsigned BusBytes = 4,
    /// Not of this one: the microcode requantises, one burst is under way, nothing is queued.
    parameter int unsigned PostLanes = 1,
    parameter int unsigned ReadOutstanding = 2,
    parameter int unsigned QueueDepth = 16,
    /// 0.
    parameter int unsigned Features = 0,
    /// 0.
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
  localparam int unsigned AtomBits = $clog2(CbufAtoms);
  localparam int unsigned LaneBits = $clog2(AtomicK);
  // Shift, bias and multiplier of a kernel.
  localparam int unsigned ParamStep = 3 * AtomicK;
  localparam int unsigned DataWords = microcode_pkg::NamedWords + ParamGroups * ParamStep;

  // The microcontroller and what it reads.
  logic unit_rst_n, halt, start, running, busy, done, core_done, core_error;
  logic out, in, out_ready, sign, segment_ended, shift, core_moved;
  logic [5:0] port;
  logic [7:0] core_cause;
  logic [31:0] value, in_value;
  logic [microcode_pkg::NumWaits-1:0] waits;
  unit_pkg::run_t wanted;
  logic [63:0] word_q;
  micro_core #(
      .DataWords(DataWords)
  ) u_core (
      .clk_i,
      .rst_ni(unit_rst_n),
      .start_i(start),
      .halt_i(halt),
      .out_o(out),
      .port_o(port),
      .data_o(value),
      .out_ready_i(out_ready),
      .in_o(in),
      .in_i(in_value),
      .waits_i(waits),
      .sign_o(sign),
      .ended_i(segment_ended),
      .bit_i(word_q[63]),
      .shift_o(shift),
      .moved_o(core_moved),
      .done_o(core_done),
      .error_o(core_error),
      .cause_o(core_cause)
  );
  // Who takes what is written says whether it is ready: each port's own is known sooner than what the microcontroller waits for.
  logic read_idle, read_write;
  assign read_write = out && read_idle;

  // Bytes come into the command word, or through the filler into the cbuf.
  logic byte_valid, byte_ready, starts_command, starts_data;
  logic [8:0] room;
  logic [7:0] byte_value;
  bus_pkg::burst_t ar, aw;
  logic [3:0] want_q;
  logic to_cbuf_q;
  assign starts_command = read_write && port == microcode_pkg::PortCommand;
  assign starts_data = read_write && port == microcode_pkg::PortData;
  micro_reader #(
      .BusBytes(BusBytes)
  ) u_reader (
      .clk_i,
      .rst_ni(unit_rst_n),
      .address_we_i(read_write && port == microcode_pkg::PortAddress),
      .address_i(value),
      .start_i(starts_command || starts_data),
      .data_i(starts_data),
      .bytes_i(value[8:0]),
      .idle_o(read_idle),
      .room_o(room),
      .ar_o(ar),
      .ar_data_o(m_arid_o),
      .ar_ready_i(m_arready_i),
      .r_valid_i(m_rvalid_i),
      .r_ready_o(m_rready_o),
      .r_data_i(m_rdata_i),
      .byte_valid_o(byte_valid),
      .byte_o(byte_value),
      .byte_ready_i(byte_ready)
  );
  assign byte_ready = halt || to_cbuf_q || want_q != '0;

  logic into_word;
  assign into_word = byte_valid && !to_cbuf_q && want_q != '0;
  always_ff @(posedge clk_i) begin
    if (into_word) word_q <= {byte_value, word_q[63:8]};
    else if (shift) word_q <= word_q << 1;
    if (out && port == microcode_pkg::PortGet) want_q <= value[3:0];
    else if (into_word) want_q <= want_q - 1'b1;
    if (out && port == microcode_pkg::PortToCbuf) to_cbuf_q <= value[0];
  end

  logic in_pixel, fill, fill_range;
  logic [19:0] fill_atom, fill_wrong;
  logic [AtomicC*8-1:0] fill_data;
  logic [20:0] cbuf_limit;
  micro_filler #(
      .AtomicC(AtomicC)
  ) u_filler (
      .clk_i,
      .rst_ni(unit_rst_n),
      .dest_we_i(out && port == microcode_pkg::PortDest),
      .pixel_we_i(out && port == microcode_pkg::PortPixel),
      .value_i(value[19:0]),
      .inside_o(in_pixel),
      .byte_valid_i(byte_valid && to_cbuf_q && !halt),
      .byte_i(byte_value),
      .limit_i(cbuf_limit),
      .we_o(fill),
      .atom_o(fill_atom),
      .data_o(fill_data),
      .range_o(fill_range),
      .range_atom_o(fill_wrong)
  );

  logic run_ready, run_idle, step, fetch, run_range;
  logic [19:0] run_atom, run_wrong;
  logic [AtomicC*8-1:0] atom_data;
  logic [AtomicK-1:0][31:0] sums;
  micro_runner #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .AccWords(AccWords)
  ) u_runner (
      .clk_i,
      .rst_ni(unit_rst_n),
      .we_i(out),
      .port_i(port),
      .data_i(value),
      .ready_o(run_ready),
      .idle_o(run_idle),
      .step_o(step),
      .limit_i(cbuf_limit),
      .re_o(fetch),
      .atom_o(run_atom),
      .atom_i(atom_data),
      .range_o(run_range),
      .range_atom_o(run_wrong),
      .sums_o(sums)
  );
  ram_1r1w #(
      .Width(AtomicC * 8),
      .Depth(CbufAtoms)
  ) u_cbuf (
      .clk_i,
      .we_i(fill),
      .waddr_i(fill_atom[AtomBits-1:0]),
      .wdata_i(fill_data),
      .re_i(fetch),
      .raddr_i(run_atom[AtomBits-1:0]),
      .rdata_o(atom_data)
  );

  logic write_ready, write_idle, takes_byte;
  assign takes_byte = out && port == microcode_pkg::PortByte;
  micro_writer #(
      .BusBytes(BusBytes)
  ) u_writer (
      .clk_i,
      .rst_ni(unit_rst_n),
      .address_we_i(out && port == microcode_pkg::PortStoreAddress),
      .bytes_we_i(out && port == microcode_pkg::PortStoreBytes),
      .value_i(value),
      .ended_o(segment_ended),
      .byte_valid_i(takes_byte),
      .byte_ready_o(write_ready),
      .byte_i(value[7:0]),
      .idle_o(write_idle),
      .aw_o(aw),
      .aw_ready_i(m_awready_i),
      .w_valid_o(m_wvalid_o),
      .w_ready_i(m_wready_i),
      .w_data_o(m_wdata_o),
      .w_strb_o(m_wstrb_o),
      .b_valid_i(m_bvalid_i),
      .b_ready_o(m_bready_o)
  );
  assign m_arvalid_o = ar.valid;
  assign m_araddr_o = ar.address;
  assign m_arlen_o = ar.len;
  assign m_arsize_o = 3'($clog2(BusBytes));
  assign m_arburst_o = 2'b01;
  assign m_awvalid_o = aw.valid;
  assign m_awid_o = 1'b1;
  assign m_awaddr_o = aw.address;
  assign m_awlen_o = aw.len;
  assign m_awsize_o = 3'($clog2(BusBytes));
  assign m_awburst_o = 2'b01;
  assign m_wlast_o = 1'b1;

  // What the microcontroller waits for, and reads.
  always_comb begin
    unique case (port)
      microcode_pkg::PortAddress, microcode_pkg::PortCommand, microcode_pkg::PortData: out_ready = read_idle;
      microcode_pkg::PortSums: out_ready = run_idle;
      microcode_pkg::PortByte: out_ready = write_ready;
      default: out_ready = port > microcode_pkg::PortGo || run_ready;  // the runner's are the first ones
    endcase
    waits[microcode_pkg::WaitRead] = read_idle;
    waits[microcode_pkg::WaitWord] = want_q == '0 || read_idle;
    waits[microcode_pkg::WaitRun] = run_idle;
    waits[microcode_pkg::WaitWrite] = write_idle;
  end
  logic [LaneBits-1:0] lane_q;
  always_ff @(posedge clk_i) begin
    if (out && port == microcode_pkg::PortSums) lane_q <= '0;
    else if (in && port == microcode_pkg::InSum) lane_q <= lane_q + 1'b1;
  end
  always_comb begin
    unique case (port)
      microcode_pkg::InStreamAddress: in_value = wanted.address;
      microcode_pkg::InStreamBytes: in_value = wanted.bytes;
      microcode_pkg::InRoom: in_value = 32'(room);
      microcode_pkg::InReading: in_value = 32'(!read_idle);
      microcode_pkg::InWant: in_value = 32'(want_q);
      microcode_pkg::InInside: in_value = 32'(in_pixel);
      microcode_pkg::InSign: in_value = 32'(sign) << 8;
      microcode_pkg::InSum: in_value = sums[lane_q];
      microcode_pkg::InAtomicK: in_value = AtomicK;
      microcode_pkg::InAccWords: in_value = AccWords;
      microcode_pkg::InParamGroups: in_value = ParamGroups;
      default: in_value = ParamStep;
    endcase
  end

  // Errors, runs, registers.
  logic [1:0] phase_q;
  logic [2:0] kind_q, at_work;
  logic timeout;
  unit_pkg::error_t error, error_q, first_error;
  assign at_work = {phase_q == 2'd3, phase_q == 2'd2, phase_q == 2'd1};
  always_comb begin
    error.valid = 1'b1;
    error.cause = tessera_isa_pkg::ErrorCbufRange;
    error.info = fill_range ? 32'(fill_wrong) : 32'(run_wrong);
    if (m_rvalid_i && m_rready_o && m_rresp_i != '0) begin
      error.cause = tessera_isa_pkg::ErrorReadBus;
      error.info  = {23'd0, !m_arid_o, 6'd0, m_rresp_i};
    end else if (m_bvalid_i && m_bresp_i != '0) begin
      error.cause = tessera_isa_pkg::ErrorWriteBus;
      error.info  = {30'd0, m_bresp_i};
    end else if (fill_range || run_range) begin
    end else if (core_error) begin
      error.cause = core_cause;
      error.info  = value;
    end else begin
      error.valid = timeout;
      error.cause = tessera_isa_pkg::ErrorWatchdog;
      error.info  = 32'(at_work);
    end
  end

  // Known a cycle later: nothing that runs waits for all that can go wrong.
  always_ff @(posedge clk_i) begin
    error_q <= error;
    if (!unit_rst_n) error_q.valid <= 1'b0;
  end

  logic clear, irq_enable;
  logic [31:0] watchdog;
  logic counter_read;
  logic [3:0] counter_index;
  logic [47:0] counter;
  bus_pkg::lite_response_t lite;
  register_file #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .CbufBytes(CbufBytes),
      .AccWords(AccWords),
      .ParamGroups(ParamGroups),
      .BusBytes(BusBytes),
      .CounterBits(48),
      .Features(Features)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .lite_i({s_awvalid_i, s_awaddr_i, s_wvalid_i, s_wdata_i, s_wstrb_i, s_bready_i, s_arvalid_i, s_araddr_i, s_rready_i}),
      .lite_o(lite),
      .clear_o(clear),
      .irq_enable_o(irq_enable),
      .run_o(wanted),
      .cbuf_limit_o(cbuf_limit),
      .watchdog_o(watchdog),
      .busy_i(busy),
      .done_i(done),
      .error_i(first_error),
      .counter_read_o(counter_read),
      .counter_index_o(counter_index),
      .counter_i(counter)
  );
  assign s_awready_o = lite.awready;
  assign s_wready_o = lite.wready;
  assign s_bvalid_o = lite.bvalid;
  assign s_bresp_o = lite.bresp;
  assign s_arready_o = lite.arready;
  assign s_rvalid_o = lite.rvalid;
  assign s_rdata_o = lite.rdata;
  assign s_rresp_o = lite.rresp;
  assign irq_o = irq_enable && (done || first_error.valid);

  run_control u_run (
      .clk_i,
      .rst_ni,
      .run_i(wanted),
      .clear_i(clear),
      .finished_i(core_done),
      .outstanding_i(!read_idle || !write_idle),
      .error_i(error_q),
      .unit_rst_no(unit_rst_n),
      .fetch_start_o(start),
      .running_o(running),
      .halt_o(halt),
      .busy_o(busy),
      .done_o(done),
      .error_o(first_error)
  );

  logic read_beat, write_beat;
  logic [31:0] still_q;
  assign read_beat = m_rvalid_i && m_rready_o;
  assign write_beat = m_wvalid_o && m_wready_i;
  assign timeout = running && !halt && watchdog != '0 && still_q >= watchdog;
  always_ff @(posedge clk_i) begin
    if (!unit_rst_n || !running || read_beat || write_beat || step || core_moved) still_q <= '0;
    else still_q <= still_q + 1'b1;
  end

  // Counters and marks.
  unit_pkg::activity_t activity;
  logic [tessera_isa_pkg::NumCounters-1:0][47:0] counters;
  logic [2:0] mark_q;
  logic [15:0] mark_id_q;
  always_comb begin
    activity = '0;
    activity.busy = step;
    activity.stall_weights = !run_ready && !step;
    activity.wait_load = run_ready && at_work[0];
    activity.wait_store = run_ready && at_work[2];
  end
  counter_bank #(
      .Bits(48),
      .All (1'b0)
  ) u_counters (
      .clk_i,
      .rst_ni(rst_ni && !clear),
      .running_i(running),
      .activity_i(activity),
      .fetch_i({starts_command, 3'd0, 4'd0, value[8:0]}),
      .load_i({starts_data, kind_q, 4'd0, value[8:0]}),
      .store_i({takes_byte && write_ready, 3'd0, 13'd1}),
      .read_beat_i(read_beat),
      .write_beat_i(write_beat),
      .read_i(counter_read),
      .index_i(counter_index),
      .count_o(counter),
      .counters_o(counters)
  );
  always_ff @(posedge clk_i) begin
    if (out && port == microcode_pkg::PortPhase) phase_q <= value[1:0];
    if (out && port == microcode_pkg::PortKind) kind_q <= value[2:0];
    mark_q <= (out && port == microcode_pkg::PortMark) ? at_work : '0;
    mark_id_q <= value[15:0];
  end
  assign trace_mark_valid_o = mark_q;
  assign trace_mark_id_o = {3{mark_id_q}};
  assign trace_counters_o = (mark_q != '0) ? counters : '0;

  // One burst at a time needs neither.
  logic unused;
  assign unused = ^{m_rid_i, m_rlast_i, wanted};

endmodule
