/// Store unit: drains output tiles through the requantiser and writes them to external memory, to
/// the cbuf, or to both.
module store_unit #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    parameter int unsigned BusBytes = 8,
    parameter int unsigned PostLanes = 8,
    parameter int unsigned AccWords = 512,
    parameter int unsigned ParamGroups = 32,
    parameter int unsigned OperandWords = 512,
    /// A bit for each feature that is built.
    parameter int unsigned Features = (1 << tessera_isa_pkg::NumFeatures) - 1
) (
    input  logic                        clk_i,
    /// Synchronous reset, active low.
    input  logic                        rst_ni,
    /// Stops; bursts whose address is out are ended with beats that write nothing.
    input  logic                        halt_i,
    /// Command queue head.
    input  unit_pkg::command_t          cmd_i,
    output logic                        cmd_ready_o,
    /// Tokens.
    input  unit_pkg::tokens_t           tokens_i,
    output unit_pkg::tokens_t           take_o,
    output unit_pkg::tokens_t           post_o,
    /// Accumulator read port.
    output logic [                11:0] acc_addr_o,
    input  logic                        acc_wait_i,
    input  logic [AtomicK-1:0][   31:0] acc_data_i,
    /// Into the memories of this unit.
    input  unit_pkg::param_write_t      param_i,
    input  unit_pkg::table_write_t      table_i,
    input  logic                        operand_we_i,
    input  logic [                11:0] operand_addr_i,
    input  logic [       AtomicK*8-1:0] operand_data_i,
    /// Usable cbuf atoms.
    input  logic [                20:0] cbuf_limit_i,
    /// Writes a piece of a kept tile, by byte of the atom, unless it is refused.
    output logic [         AtomicC-1:0] keep_we_o,
    output logic [                19:0] keep_address_o,
    output logic [       AtomicC*8-1:0] keep_data_o,
    input  logic                        keep_refused_i,
    /// Write channels.
    output bus_pkg::burst_t             aw_o,
    input  logic                        aw_ready_i,
    output logic                        w_valid_o,
    input  logic                        w_ready_i,
    output logic [      BusBytes*8-1:0] w_data_o,
    output logic [        BusBytes-1:0] w_strb_o,
    output logic                        w_last_o,
    /// A write response was taken.
    input  logic                        b_valid_i,
    output bus_pkg::requested_t         requested_o,
    /// Writes under way.
    output logic                        outstanding_o,
    output unit_pkg::status_t           status_o
);

  localparam bit HasTables = (Features >> tessera_isa_pkg::FeatureTables) % 2 == 1;
  localparam bit HasOperands = (Features >> tessera_isa_pkg::FeatureOperands) % 2 == 1;
  localparam bit HasSingleRounding = (Features >> tessera_isa_pkg::FeatureSingleRounding) % 2 == 1;
  localparam bit HasSquares = HasOperands && HasTables && (Features >> tessera_isa_pkg::FeatureSquares) % 2 == 1;
  localparam bit HasSoftmax = HasTables && (Features >> tessera_isa_pkg::FeatureSoftmax) % 2 == 1;
  localparam bit HasKeep = (Features >> tessera_isa_pkg::FeatureKeep) % 2 == 1;
  localparam int unsigned CountBits = $clog2(PostLanes + 1);

  // A cycle late, from a register nearby, which synthesis does not share among the units.
  logic halt_q;
  (* keep *) always_ff @(posedge clk_i) halt_q <= rst_ni && halt_i;

  tessera_isa_pkg::st_address_t address_q;
  tessera_isa_pkg::st_shape_t shape_q, new_shape;
  logic single_q, single;  // the shape has one segment
  tessera_isa_pkg::st_stride_t stride_q;
  tessera_isa_pkg::st_quant_t quant_q;
  tessera_isa_pkg::st_tile_t tile_q;
  tessera_isa_pkg::st_post_t post_q, new_post;
  tessera_isa_pkg::st_softmax_t softmax_q, new_softmax;
  logic is_softmax_q;  // that came behind ST_POST
  tessera_isa_pkg::st_result_t result_q;
  tessera_isa_pkg::st_keep_t keep_q;
  tessera_isa_pkg::store_t store, store_q;
  logic [5:0] opcode;

  // A tile is written as a whole before the next word is looked at: no state is shared.
  logic active_q;    // a tile is being written
  logic barrier_q;   // its token waits for the write responses
  logic [8:0] bursts_q;  // write responses to come
  logic settled_q;  // none

  logic address_set_q, shape_set_q, stride_set_q, quant_set_q, tile_set_q, result_set_q, keep_set_q;
  logic address_set, shape_set, stride_set, quant_set, tile_set, result_set;
  logic place_set_q, tile_described_q, configured;
  logic wants_result_q, wants_result;
  logic is_store, is_mark, settled, tokens_ready, start, kernel_count_error, softmax_error;
  assign opcode = cmd_i.word[63:58];
  // Words that need what is not built do not come: what depends on them is nothing then.
  always_comb begin
    store = cmd_i.word;
    if (!HasKeep) {store.keep, store.keep_only, store.dest, store.dest_byte} = '0;
  end
  assign new_shape = cmd_i.word;
  assign new_post = cmd_i.word;
  assign new_softmax = cmd_i.word;
  assign is_store = cmd_i.valid && cmd_i.works;
  assign is_mark = cmd_i.valid && !cmd_i.works && cmd_i.other;
  assign settled = settled_q;
  assign tokens_ready = !store.wait_compute || tokens_i.compute_to_store;
  assign configured = tile_described_q && (keep_set_q || !store.keep) && (place_set_q || store.keep_only);
  assign kernel_count_error = is_store && configured && tile_q.last_kernels > 7'(AtomicK);
  assign softmax_error = is_store && configured && is_softmax_q && tile_q.pixels > 12'(store_pkg::SoftmaxPixels);
  assign start = is_store && configured && tokens_ready && !active_q && !barrier_q && !halt_q;
  assign cmd_ready_o = !halt_q && !active_q && !barrier_q &&
      (is_store ? start : is_mark ? settled : 1'b1);

  logic drained, drain_idle, splitter_busy, writer_idle, writer_holding, finished;
  logic acc_error, param_error, operand_error, keep_error, too_long, too_short;
  logic kept;
  logic [31:0] drain_info;
  assign finished = active_q && drain_idle && !splitter_busy && writer_idle && !writer_holding;
  always_comb begin
    take_o = '0;
    take_o.compute_to_store = start && store.wait_compute;
    post_o = '0;
    post_o.store_to_compute = (store_q.keep ? kept : drained) && store_q.post_compute;
    post_o.store_to_load = barrier_q && settled;
  end

  always_ff @(posedge clk_i) begin
    if (cmd_i.valid && cmd_ready_o) begin
      unique case (opcode)
        tessera_isa_pkg::OpStAddress: address_q <= cmd_i.word;
        tessera_isa_pkg::OpStShape: shape_q <= cmd_i.word;
        tessera_isa_pkg::OpStStride: stride_q <= cmd_i.word;
        tessera_isa_pkg::OpStQuant: quant_q <= cmd_i.word;
        tessera_isa_pkg::OpStTile: tile_q <= cmd_i.word;
        tessera_isa_pkg::OpStResult: result_q <= cmd_i.word;
        tessera_isa_pkg::OpStKeep: keep_q <= cmd_i.word;
        tessera_isa_pkg::OpStore: store_q <= store;
        default: ;
      endcase
    end
  end

  // A word that waits at the head is taken before any STORE is: that it has come is known without waiting for that.
  assign address_set = address_set_q || (cmd_i.valid && opcode == tessera_isa_pkg::OpStAddress);
  assign shape_set = shape_set_q || (cmd_i.valid && opcode == tessera_isa_pkg::OpStShape);
  assign stride_set = stride_set_q || (cmd_i.valid && opcode == tessera_isa_pkg::OpStStride);
  assign quant_set = quant_set_q || (cmd_i.valid && opcode == tessera_isa_pkg::OpStQuant);
  assign tile_set = tile_set_q || (cmd_i.valid && opcode == tessera_isa_pkg::OpStTile);
  assign result_set = result_set_q || (cmd_i.valid && opcode == tessera_isa_pkg::OpStResult);
  assign single = (cmd_i.valid && opcode == tessera_isa_pkg::OpStShape) ?
      new_shape.inner == 16'd1 && new_shape.outer == 16'd1 : single_q;
  assign wants_result = !(cmd_i.valid && (opcode == tessera_isa_pkg::OpStPost || opcode == tessera_isa_pkg::OpStSoftmax)) ?
      wants_result_q : HasOperands && opcode == tessera_isa_pkg::OpStPost && (new_post.operation == tessera_isa_pkg::StPostOperationAdd ||
      new_post.operation == tessera_isa_pkg::StPostOperationMultiply);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      address_set_q <= 1'b0;
      shape_set_q <= 1'b0;
      stride_set_q <= 1'b0;
      quant_set_q <= 1'b0;
      tile_set_q <= 1'b0;
      result_set_q <= 1'b0;
      keep_set_q <= 1'b0;
      wants_result_q <= 1'b0;
      place_set_q <= 1'b0;
      tile_described_q <= 1'b0;
    end else begin
      address_set_q <= address_set;
      shape_set_q <= shape_set;
      stride_set_q <= stride_set;
      quant_set_q <= quant_set;
      tile_set_q <= tile_set;
      result_set_q <= result_set;
      if (cmd_i.valid && opcode == tessera_isa_pkg::OpStKeep) keep_set_q <= 1'b1;
      wants_result_q <= wants_result;
      place_set_q <= address_set && shape_set && (stride_set || single);
      tile_described_q <= quant_set && tile_set && (result_set || !wants_result);
    end
    single_q <= single;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) post_q <= '0;
    else if (cmd_i.valid && cmd_ready_o && opcode == tessera_isa_pkg::OpStPost) post_q <= new_post;
  end

  tessera_isa_pkg::st_post_t post;
  tessera_isa_pkg::st_result_t result;
  if (HasSoftmax) begin : gen_softmax
    always_ff @(posedge clk_i) begin
      if (!rst_ni) is_softmax_q <= 1'b0;
      else if (cmd_i.valid && cmd_ready_o && opcode == tessera_isa_pkg::OpStPost) is_softmax_q <= 1'b0;
      else if (cmd_i.valid && cmd_ready_o && opcode == tessera_isa_pkg::OpStSoftmax) is_softmax_q <= 1'b1;
      if (cmd_i.valid && cmd_ready_o && opcode == tessera_isa_pkg::OpStSoftmax) softmax_q <= new_softmax;
    end
    always_comb begin
      post = post_q;
      result = result_q;
      if (is_softmax_q) begin
        post.operation = tessera_isa_pkg::StPostOperationNone;
        post.table_operand = 1'b0;
        post.table_select = softmax_q.table_select;
        {result.zero_point, result.low, result.high} = {softmax_q.zero_point, softmax_q.low, softmax_q.high};
      end
    end
  end else begin : gen_no_softmax
    assign is_softmax_q = 1'b0;
    assign softmax_q = '0;
    assign post = post_q;
    assign result = result_q;
    logic unused_softmax;
    assign unused_softmax = ^new_softmax;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q  <= 1'b0;
      barrier_q <= 1'b0;
    end else begin
      if (start) active_q <= 1'b1;
      else if (finished) active_q <= 1'b0;
      if (finished && store_q.post_load) barrier_q <= 1'b1;
      else if (settled) barrier_q <= 1'b0;
    end
  end

  unit_pkg::param_read_t param_read;
  logic [PostLanes-1:0][71:0] param_data;

  param_memory #(
      .AtomicK(AtomicK),
      .PostLanes(PostLanes),
      .Groups(ParamGroups),
      .Pairs(AtomicC > 4 || AtomicK > 4 || BusBytes > 4)
  ) u_params (
      .clk_i,
      .write_i(param_i),
      .read_i(param_read),
      .data_o(param_data)
  );

  logic [11:0] operand_addr;
  logic [AtomicK*8-1:0] operand_data;

  if (HasOperands) begin : gen_operands
    operand_memory #(
        .AtomicK(AtomicK),
        .Words  (OperandWords)
    ) u_operands (
        .clk_i,
        .we_i(operand_we_i),
        .waddr_i(operand_addr_i),
        .wdata_i(operand_data_i),
        .raddr_i(operand_addr),
        .rdata_o(operand_data)
    );
  end else begin : gen_no_operands
    assign operand_data = '0;
    logic unused;
    assign unused = ^{operand_we_i, operand_addr_i, operand_data_i, operand_addr};
  end

  logic drain_valid, drain_ready, drain_pixel;
  logic [PostLanes*8-1:0] drain_data;
  logic [CountBits-1:0] drain_count;

  tile_drain #(
      .AtomicK(AtomicK),
      .PostLanes(PostLanes),
      .AccWords(AccWords),
      .ParamGroups(ParamGroups),
      .OperandWords(OperandWords),
      .Tables(HasTables),
      .Operands(HasOperands),
      .SingleRounding(HasSingleRounding),
      .Softmax(HasSoftmax),
      .Squares(HasSquares)
  ) u_drain (
      .clk_i,
      .rst_ni,
      .halt_i(halt_q),
      .start_i(start),
      .acc_base_i(start ? store.acc_base : store_q.acc_base),
      .pixels_i(tile_q.pixels),
      .groups_i(tile_q.groups),
      .last_kernels_i(tile_q.last_kernels),
      .param_base_i(tile_q.param_base),
      .zero_point_i(quant_q.zero_point),
      .low_i(quant_q.low),
      .high_i(quant_q.high),
      .rounding_i(quant_q.rounding),
      .post_i(post),
      .result_i(result),
      .softmax_i(is_softmax_q),
      .same_params_i(is_softmax_q && softmax_q.same_params),
      .acc_addr_o,
      .acc_wait_i,
      .acc_data_i,
      .param_o(param_read),
      .param_data_i(param_data),
      .operand_addr_o(operand_addr),
      .operand_data_i(operand_data),
      .table_i,
      .drained_o(drained),
      .out_valid_o(drain_valid),
      .out_ready_i(drain_ready),
      .out_data_o(drain_data),
      .out_count_o(drain_count),
      .out_pixel_o(drain_pixel),
      .idle_o(drain_idle),
      .acc_error_o(acc_error),
      .param_error_o(param_error),
      .operand_error_o(operand_error),
      .error_info_o(drain_info)
  );

  // Bytes leave the drain when all that want them take them.
  logic keep_valid, keep_last, keep_part_last, keep_waits, writer_takes, drain_take;
  logic [AtomicC-1:0] keep_we;
  assign keep_valid = drain_valid && store_q.keep && !halt_q &&
      (store_q.keep_only || writer_takes || !keep_part_last);
  assign keep_waits = store_q.keep && (keep_refused_i || !keep_part_last);
  assign drain_ready = (store_q.keep_only || writer_takes) && !keep_waits;
  assign drain_take = drain_valid && drain_ready;
  assign kept = drain_take && keep_last;

  if (HasKeep) begin : gen_keeper
    tile_keeper #(
        .AtomicC(AtomicC),
        .PostLanes(PostLanes)
    ) u_keeper (
        .clk_i,
        .start_i(start),
        .dest_i(store.dest),
        .dest_byte_i(start ? store.dest_byte : store_q.dest_byte),
        .pixels_i(tile_q.pixels),
        .fill_i(tile_q.last_kernels != 7'(AtomicK)),
        .cols_i(keep_q.cols),
        .pixel_step_i(keep_q.pixel_step),
        .row_step_i(keep_q.row_step),
        .cbuf_limit_i,
        .valid_i(keep_valid),
        .take_i(keep_valid && !keep_refused_i),
        .data_i(drain_data),
        .count_i(drain_count),
        .pixel_i(drain_pixel),
        .we_o(keep_we),
        .address_o(keep_address_o),
        .data_o(keep_data_o),
        .chunk_last_o(keep_part_last),
        .last_o(keep_last),
        .error_o(keep_error)
    );
  end else begin : gen_no_keeper
    assign keep_we = '0;
    assign keep_address_o = '0;
    assign keep_data_o = '0;
    assign keep_part_last = 1'b1;
    assign keep_last = 1'b0;
    assign keep_error = 1'b0;
    logic unused;
    assign unused = ^{keep_valid, cbuf_limit_i, keep_q, drain_pixel};
  end

  assign keep_we_o = keep_we;

  logic burst_valid, burst_ready, requested, writer_ready, aw_slot, aw_valid_q;
  logic [31:0] burst_address, aw_address_q;
  logic [12:0] burst_bytes;
  logic [7:0] burst_len, aw_len_q;

  burst_splitter #(
      .BusBytes(BusBytes)
  ) u_splitter (
      .clk_i,
      .rst_ni,
      .start_i(start && !store.keep_only),
      .address_i(address_q.address),
      .segment_bytes_i(shape_q.segment_bytes),
      .inner_i(shape_q.inner),
      .outer_i(shape_q.outer),
      .inner_stride_i(stride_q.inner_stride),
      .outer_stride_i(stride_q.outer_stride),
      .busy_o(splitter_busy),
      .burst_valid_o(burst_valid),
      .burst_ready_i(burst_ready),
      .burst_address_o(burst_address),
      .burst_bytes_o(burst_bytes),
      .burst_len_o(burst_len),
      .burst_last_o()
  );

  assign aw_slot = !aw_valid_q || aw_ready_i;
  assign burst_ready = aw_slot && writer_ready && !halt_q && !(&bursts_q);
  assign requested = burst_valid && burst_ready;
  assign requested_o = {requested, 3'd0, burst_bytes};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_valid_q <= 1'b0;
      bursts_q <= '0;
      settled_q <= 1'b1;
    end else begin
      if (aw_slot) aw_valid_q <= requested;
      bursts_q <= bursts_q + 9'(requested) - 9'(b_valid_i);
      settled_q <= !requested && (b_valid_i ? bursts_q == 9'd1 : settled_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (requested) begin
      aw_address_q <= burst_address;
      aw_len_q <= burst_len;
    end
  end

  assign aw_o = {aw_valid_q, aw_address_q, aw_len_q};

  burst_writer #(
      .BusBytes(BusBytes),
      .InBytes (PostLanes)
  ) u_writer (
      .clk_i,
      .rst_ni,
      .flush_i(halt_q),
      .burst_valid_i(requested),
      .burst_ready_o(writer_ready),
      .burst_offset_i(burst_address[$clog2(BusBytes)-1:0]),
      .burst_bytes_i(burst_bytes),
      .in_valid_i(drain_valid && !store_q.keep_only && !keep_waits),
      .in_ready_o(writer_takes),
      .in_data_i(drain_data),
      .in_count_i(drain_count),
      .w_valid_o,
      .w_ready_i,
      .w_data_o,
      .w_strb_o,
      .w_last_o,
      .idle_o(writer_idle),
      .holding_o(writer_holding)
  );

  assign outstanding_o = !settled || aw_valid_q || w_valid_o;
  // What is wrong with a word that is drained or kept is said a cycle late, and before what is found in that cycle.
  logic acc_error_q, param_error_q, operand_error_q, keep_error_q, drain_error, word_error;
  logic [31:0] error_info_q;
  assign drain_error = acc_error || param_error || operand_error;
  always_ff @(posedge clk_i) begin
    {acc_error_q, param_error_q, operand_error_q, keep_error_q} <=
        {4{rst_ni}} & {acc_error, param_error, operand_error, keep_error};
    error_info_q <= drain_error ? drain_info : 32'(keep_address_o);
  end
  assign word_error = acc_error_q || param_error_q || operand_error_q || keep_error_q;

  unit_pkg::error_t error;
  assign status_o.idle = !cmd_i.valid && !active_q && !barrier_q && settled && !word_error;
  assign status_o.waiting = is_store && !tokens_ready && !active_q && !barrier_q && settled;
  assign status_o.mark.valid = is_mark && cmd_ready_o;
  assign status_o.mark.id = cmd_i.word[15:0];
  assign status_o.error = error;

  // With the tile drained, bytes held that no burst wants are too many, a burst that they cannot
  // fill wants more than there are.
  logic drained_dry;
  assign drained_dry = active_q && drain_idle && !halt_q && !aw_valid_q;
  assign too_long = drained_dry && !splitter_busy && writer_idle && writer_holding;
  logic [4:0] starved_q;
  assign too_short = &starved_q;

  // Beats leave as long as the bus takes them; a burst without data for so long gets none any more.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !(drained_dry && !w_valid_o && (splitter_busy || !writer_idle))) begin
      starved_q <= '0;
    end else if (!too_short) begin
      starved_q <= starved_q + 5'd1;
    end
  end

  // What is said without an error means nothing.
  logic not_configured;
  assign not_configured = is_store && !configured && !halt_q && !active_q;
  assign error.valid = word_error || not_configured || kernel_count_error || softmax_error || too_long || too_short;
  always_comb begin
    if (word_error) begin
      error.cause = acc_error_q ? tessera_isa_pkg::ErrorAccRange : param_error_q ? tessera_isa_pkg::ErrorParamRange :
          operand_error_q ? tessera_isa_pkg::ErrorOperandRange : tessera_isa_pkg::ErrorCbufRange;
      error.info = error_info_q;
    end else if (not_configured) begin
      error.cause = tessera_isa_pkg::ErrorNotConfigured;
      error.info = 32'd2;
    end else if (kernel_count_error) begin
      error.cause = tessera_isa_pkg::ErrorKernelCount;
      error.info = 32'(tile_q.last_kernels);
    end else if (softmax_error) begin
      error.cause = tessera_isa_pkg::ErrorSoftmaxPixels;
      error.info = 32'(tile_q.pixels);
    end else begin
      error.cause = tessera_isa_pkg::ErrorStoreLength;
      error.info = too_long ? 32'd1 : 32'd2;
    end
  end

endmodule
