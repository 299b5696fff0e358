/// Load unit: two-dimensional reads from external memory into the cbuf or the memories of the store
/// unit (parameters, operands, tables).
/// Requests run ahead of the data: the next LOAD issues its bursts while earlier data still arrives.
module load_unit #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    parameter int unsigned BusBytes = 8,
    /// Kernel groups in the parameter memory.
    parameter int unsigned ParamGroups = 32,
    /// Words of the operand memory.
    parameter int unsigned OperandWords = 512,
    /// Most bytes of a unit of folding loads.
    parameter int unsigned FoldBytes = 64,
    /// Read bursts under way at most.
    parameter int unsigned Outstanding = 8,
    /// A bit for each feature that is built.
    parameter int unsigned Features = (1 << tessera_isa_pkg::NumFeatures) - 1
) (
    input  logic                  clk_i,
    /// Synchronous reset, active low: forgets everything.
    input  logic                  rst_ni,
    /// Stops issuing; data still arriving is dropped.
    input  logic                  halt_i,
    /// Command queue head.
    input  unit_pkg::command_t    cmd_i,
    output logic                  cmd_ready_o,
    /// Tokens.
    input  unit_pkg::tokens_t     tokens_i,
    output unit_pkg::tokens_t     take_o,
    output unit_pkg::tokens_t     post_o,
    /// Read bursts.
    output bus_pkg::burst_t       ar_o,
    input  logic                  ar_ready_i,
    /// Read data.
    input  logic                  r_valid_i,
    output logic                  r_ready_o,
    input  logic [BusBytes*8-1:0] r_data_i,
    /// Usable cbuf atoms.
    input  logic [          20:0] cbuf_limit_i,
    /// A write, and which bytes of the atom: one at least.
    output logic                  cbuf_write_o,
    output logic [   AtomicC-1:0] cbuf_we_o,
    output logic [          19:0] cbuf_address_o,
    output logic [ AtomicC*8-1:0] cbuf_data_o,
    output unit_pkg::param_write_t param_o,
    output logic                  operand_we_o,
    output logic [ AtomicK*8-1:0] operand_data_o,
    output logic [          11:0] operand_address_o,
    output unit_pkg::table_write_t table_o,
    output bus_pkg::requested_t   requested_o,
    output unit_pkg::status_t     status_o
);

  localparam bit HasFolding = (Features >> tessera_isa_pkg::FeatureFolding) % 2 == 1;
  localparam bit HasTables = (Features >> tessera_isa_pkg::FeatureTables) % 2 == 1;
  localparam bit HasOperands = (Features >> tessera_isa_pkg::FeatureOperands) % 2 == 1;
  localparam bit HasChecksums = (Features >> tessera_isa_pkg::FeatureChecksums) % 2 == 1;
  localparam bit HasCompression = (Features >> tessera_isa_pkg::FeatureCompression) % 2 == 1;
  localparam int unsigned ParamRecordBytes = 12;
  localparam int unsigned TableWords = 512;  // two tables
  // Chunks carry an atom, an operand word, a compact parameter record or a word of one, or a table's value. On a bus that
  // brings a record's words one by one they are no wider than these.
  localparam int unsigned WordBytes = (AtomicC > AtomicK) ? AtomicC : AtomicK;
  localparam bit WholeRecords = WordBytes > 4 || BusBytes > 4;
  localparam int unsigned ChunkBytes = !WholeRecords ? 4 : (WordBytes < load_pkg::CompactBytes) ? load_pkg::CompactBytes : WordBytes;
  localparam int unsigned ChunkCountBits = $clog2(ChunkBytes + 1);
  localparam int unsigned BeatCountBits = $clog2(BusBytes + 1);
  // A folded unit that fits an atom, and an atom that was coded, take one cycle, however narrow the bus.
  localparam int unsigned FoldedBytes = ((HasFolding || HasCompression) && AtomicC > BusBytes) ? AtomicC : BusBytes;
  localparam int unsigned FoldedLanes = 1 << $clog2(FoldedBytes);
  localparam int unsigned FoldedCountBits = $clog2(FoldedBytes + 1);

  // A cycle late, from a register nearby, which synthesis does not share among the units.
  logic halt_q;
  (* keep *) always_ff @(posedge clk_i) halt_q <= rst_ni && halt_i;

  // Requests ------------------------------------------------------------------------------------

  tessera_isa_pkg::ld_source_t source;
  tessera_isa_pkg::ld_shape_t shape;
  tessera_isa_pkg::ld_stride_t stride;
  tessera_isa_pkg::ld_fold_t fold;
  tessera_isa_pkg::ld_factor_t factor;
  tessera_isa_pkg::ld_code_t code;
  tessera_isa_pkg::load_t load;
  logic [2:0] kind_q;

  logic splitter_busy, transfers_full, transfers_empty, is_load, tokens_ready, start;
  logic configured, bias_pixel, compact_pixel, fold_error, code_error, is_uniform, record_error, transfer_done, ragged;

  // Words that need what is not built do not come: what depends on them is nothing then.
  always_comb begin
    load = cmd_i.word;
    if (!HasFolding) load.fold = 1'b0;
    if (!HasChecksums) {load.check, load.checksum} = '0;
    if (!HasCompression) load.coded = 1'b0;
  end
  assign is_load = cmd_i.valid && cmd_i.works;
  assign tokens_ready = (!load.wait_compute || tokens_i.compute_to_load) &&
      (!load.wait_store || tokens_i.store_to_load);
  assign fold_error = is_load && configured && load.fold && !halt_q &&
      (source.pixel_bytes > 16'(FoldBytes) || fold.advance > 7'(FoldBytes) ||
       load.kind != tessera_isa_pkg::LoadKindFeature || shape.inner != 16'd1 ||
       7'(fold.offset) >= 7'(AtomicC));
  assign code_error = is_load && configured && load.coded && !halt_q &&
      (source.pixel_bytes != 16'(AtomicC) || shape.inner != 16'd1 || shape.outer != 16'd1 || load.kind != tessera_isa_pkg::LoadKindWeight);
  assign record_error = is_load && configured && !halt_q && load.kind == tessera_isa_pkg::LoadKindParam &&
      source.pixel_bytes != 16'(ParamRecordBytes) && !compact_pixel && !bias_pixel;
  assign start = is_load && configured && tokens_ready && !splitter_busy && !transfers_full && !halt_q;
  assign cmd_ready_o = !halt_q && !splitter_busy && (is_load ? start : 1'b1);
  always_comb begin
    take_o = '0;
    take_o.compute_to_load = start && load.wait_compute;
    take_o.store_to_load = start && load.wait_store;
    post_o = '0;
    post_o.load_to_compute = transfer_done && transfer.post;
  end

  load_config u_config (
      .clk_i,
      .rst_ni,
      .valid_i(cmd_i.valid),
      .take_i(cmd_i.valid && cmd_ready_o),
      .word_i(cmd_i.word),
      .source_o(source),
      .shape_o(shape),
      .stride_o(stride),
      .fold_o(fold),
      .factor_o(factor),
      .code_o(code),
      .wants_fold_i(load.fold),
      .wants_factor_i(is_uniform),
      .wants_code_i(load.coded),
      .configured_o(configured),
      .bias_pixel_o(bias_pixel),
      .compact_pixel_o(compact_pixel)
  );

  always_ff @(posedge clk_i) begin
    if (start) kind_q <= load.kind;
  end

  logic burst_valid, burst_ready, burst_last, reader_ready, reader_empty;
  logic [31:0] burst_address;
  logic [12:0] burst_bytes;
  logic [7:0] burst_len;

  burst_splitter #(
      .BusBytes(BusBytes)
  ) u_splitter (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .address_i(source.address),
      .segment_bytes_i(shape.segment_bytes),
      .inner_i(shape.inner),
      .outer_i(shape.outer),
      .inner_stride_i(stride.inner_stride),
      .outer_stride_i(stride.outer_stride),
      .busy_o(splitter_busy),
      .burst_valid_o(burst_valid),
      .burst_ready_i(burst_ready),
      .burst_address_o(burst_address),
      .burst_bytes_o(burst_bytes),
      .burst_len_o(burst_len),
      .burst_last_o(burst_last)
  );

  assign ar_o = {burst_valid && reader_ready && !halt_q, burst_address, burst_len};
  assign burst_ready = ar_ready_i && reader_ready && !halt_q;
  assign requested_o = {burst_valid && burst_ready, kind_q, burst_bytes};

  // Data ----------------------------------------------------------------------------------------

  load_pkg::transfer_t transfer;
  tessera_isa_pkg::ld_fold_t sink;
  logic [82:0] details;
  logic [23:0] row_bytes;
  // Loads that fold are of features, coded ones of weights.
  assign details = load.fold ? {fold.pad_after == '0, fold.pad_before == '0, shape.segment_bytes, fold[56:0]} :
      load.coded ? {35'd0, code[47:0]} : {46'd0, factor[36:0]};
  assign sink = {7'd0, transfer.details[56:0]};
  assign row_bytes = transfer.details[80:57];

  logic [15:0] unit_bytes;
  logic one_chunk, has_compact_records;
  load_cut #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .WholeRecords(WholeRecords),
      .Operands(HasOperands)
  ) u_cut (
      .load_i(load),
      .pixel_bytes_i(source.pixel_bytes),
      .compact_pixel_i(compact_pixel),
      .bias_pixel_i(bias_pixel),
      .offset_i(fold.offset),
      .compact_o(has_compact_records),
      .bias_o(is_uniform),
      .unit_bytes_o(unit_bytes),
      .one_chunk_o(one_chunk)
  );

  // Small arrays take so long for what was loaded that two are as good as four.
  sync_fifo #(
      .Width(load_pkg::TransferBits),
      .Depth(AtomicC * AtomicK < 64 ? 2 : 4)
  ) u_transfers (
      .clk_i,
      .rst_ni,
      .push_i (start),
      .data_i ({
        load.kind, load.dest, unit_bytes, one_chunk, has_compact_records, is_uniform, load.post_compute, load.fold, load.coded, details,
        load.check, load.checksum, source.address
      }),
      .full_o (transfers_full),
      .pop_i  (transfer_done),
      .data_o (transfer),
      .empty_o(transfers_empty)
  );

  logic beat_ready, beat_take, beat_last;
  logic [BeatCountBits-1:0] beat_offset, beat_bytes;
  logic [BusBytes-1:0] beat_strobe;

  burst_beats #(
      .BusBytes(BusBytes),
      .Outstanding(Outstanding)
  ) u_reader (
      .clk_i,
      .rst_ni,
      .burst_valid_i(burst_valid && burst_ready),
      .burst_ready_o(reader_ready),
      .burst_offset_i(burst_address[$clog2(BusBytes)-1:0]),
      .burst_bytes_i(burst_bytes),
      .burst_last_i(burst_last),
      .beat_i(beat_take),
      .beat_offset_o(beat_offset),
      .beat_bytes_o(beat_bytes),
      .beat_strobe_o(beat_strobe),
      .beat_last_o(beat_last),
      .empty_o(reader_empty)
  );

  assign r_ready_o = halt_q || beat_ready;
  assign beat_take = r_valid_i && r_ready_o;
  logic is_param, is_compact, is_bias, is_operand, is_table, is_word, chunk_valid;
  logic [ChunkBytes*8-1:0] chunk;
  assign is_param = transfer.kind == tessera_isa_pkg::LoadKindParam;
  assign is_compact = transfer.compact;
  assign is_bias = transfer.bias;
  assign is_operand = HasOperands && transfer.kind == tessera_isa_pkg::LoadKindOperand;
  assign is_table = HasTables && transfer.kind == tessera_isa_pkg::LoadKindTable;
  assign is_word = is_param || is_table;

  logic folded_valid, folded_ready, folded_last, row_ragged;
  logic [FoldedLanes*8-1:0] folded_data;
  logic [FoldedCountBits-1:0] folded_offset, folded_bytes;
  logic unit_ready;  // for a beat that is not coded

  if (HasFolding) begin : gen_folder
    tap_folder #(
        .InBytes  (BusBytes),
        .OutBytes (FoldedBytes),
        .FoldBytes(FoldBytes)
    ) u_folder (
        .clk_i,
        .rst_ni(rst_ni && !transfer_done),
        .active_i(transfer.fold && !transfers_empty),
        .unit_bytes_i(transfer.unit_bytes[6:0]),
        .advance_i(sink.advance),
        .units_i(sink.units),
        .row_bytes_i(row_bytes),
        .before_i(sink.pad_before),
        .after_i(sink.pad_after),
        .no_before_i(transfer.details[81]),
        .no_after_i(transfer.details[82]),
        .value_i(sink.value),
        .blank_i(sink.blank),
        .in_valid_i(beat_take && !halt_q),
        .in_ready_o(unit_ready),
        .in_data_i(r_data_i),
        .in_offset_i(beat_offset),
        .in_bytes_i(beat_bytes),
        .in_last_i(beat_last),
        .out_valid_o(folded_valid),
        .out_ready_i(folded_ready),
        .out_data_o(folded_data),
        .out_offset_o(folded_offset),
        .out_bytes_o(folded_bytes),
        .out_last_o(folded_last),
        .ragged_o(row_ragged)
    );
  end else begin : gen_no_folder
    assign unit_ready = folded_ready;
    assign folded_valid = beat_take && !halt_q;
    assign folded_data = (FoldedLanes * 8)'(r_data_i);
    assign folded_offset = FoldedCountBits'(beat_offset);
    assign folded_bytes = FoldedCountBits'(beat_bytes);
    assign folded_last = beat_last;
    assign row_ragged = 1'b0;
    logic unused;
    assign unused = ^row_bytes;
  end

  logic is_coded, decoder_ready, atom_valid, atom_last, code_ragged;
  logic [AtomicC*8-1:0] decoded;
  assign is_coded = transfer.coded && !transfers_empty;
  assign beat_ready = is_coded ? decoder_ready : unit_ready;

  if (HasCompression) begin : gen_decoder
    tessera_isa_pkg::ld_code_t coded;
    assign coded = 64'(transfer.details[47:0]);
    weight_decoder #(
        .InBytes(BusBytes),
        .AtomicC(AtomicC)
    ) u_decoder (
        .clk_i,
        .rst_ni(rst_ni && !transfer_done),
        .active_i(is_coded),
        .atoms_i(coded.atoms),
        .unit_i(coded.unit),
        .zero_i(coded.zero),
        .in_valid_i(beat_take && !halt_q),
        .in_ready_o(decoder_ready),
        .in_data_i(r_data_i),
        .in_offset_i(beat_offset),
        .in_bytes_i(beat_bytes),
        .in_last_i(beat_last),
        .out_valid_o(atom_valid),
        .out_ready_i(folded_ready),
        .out_data_o(decoded),
        .out_last_o(atom_last),
        .ragged_o(code_ragged)
    );
    logic unused;
    assign unused = ^coded;
  end else begin : gen_no_decoder
    assign decoder_ready = 1'b0;
    assign atom_valid = 1'b0;
    assign decoded = '0;
    assign atom_last = 1'b0;
    assign code_ragged = 1'b0;
  end

  logic in_valid, in_last;
  logic [FoldedLanes*8-1:0] in_data;
  logic [FoldedCountBits-1:0] in_offset, in_bytes;
  assign in_valid = is_coded ? atom_valid : folded_valid;
  assign in_data = is_coded ? (FoldedLanes * 8)'(decoded) : folded_data;
  assign in_offset = is_coded ? '0 : folded_offset;
  assign in_bytes = is_coded ? FoldedCountBits'(AtomicC) : folded_bytes;
  assign in_last = is_coded ? atom_last : folded_last;

  logic [ChunkCountBits-1:0] chunk_bytes, chunk_count;
  logic chunk_first, chunk_last;
  assign chunk_bytes = (WholeRecords && (is_compact || is_bias)) ? ChunkCountBits'(load_pkg::CompactBytes) :
      is_word ? ChunkCountBits'(4) : is_operand ? ChunkCountBits'(AtomicK) : ChunkCountBits'(AtomicC);

  logic [6:0] unit_room;  // of a folded unit's first atom
  logic [ChunkCountBits-1:0] first_bytes;
  assign unit_room = 7'(AtomicC) - {1'b0, sink.offset};
  assign first_bytes = transfer.fold ? ChunkCountBits'(unit_room) : chunk_bytes;

  stream_packer #(
      .InBytes (FoldedBytes),
      .OutBytes(ChunkBytes)
  ) u_packer (
      .clk_i,
      .rst_ni,
      .unit_bytes_i(transfer.unit_bytes),
      .one_chunk_i(transfer.one_chunk),
      .first_bytes_i(first_bytes),
      .chunk_bytes_i(chunk_bytes),
      .in_valid_i(in_valid && !halt_q),
      .in_ready_o(folded_ready),
      .in_data_i(in_data),
      .in_offset_i(in_offset),
      .in_bytes_i(in_bytes),
      .in_last_i(in_last),
      .out_valid_o(chunk_valid),
      .out_data_o(chunk),
      .out_count_o(chunk_count),
      .out_first_o(chunk_first),
      .out_last_o(chunk_last),
      .done_o(transfer_done),
      .ragged_o(ragged)
  );

  // Of the atom or table value to come, and of the folded unit's first atom; the transfer's own before the first one.
  logic [27:0] place, place_q;
  logic [19:0] unit, unit_q;
  logic fresh_q;
  assign place = !fresh_q ? place_q : is_table ? {transfer.dest, 8'd0} : {8'd0, transfer.dest};
  selected_adder #(
      .Width(20)
  ) u_unit (
      .augend_i(20'(sink.unit_step)),
      .select_i(fresh_q),
      .first_i (unit_q),
      .second_i(transfer.dest),
      .sum_o   (unit)
  );
  // The upper bits are a table's.
  logic [27:0] next_place;
  loaded_adder #(
      .Width(28)
  ) u_place (
      .load_i  (transfer.fold && chunk_last),
      .value_i ({place_q[27:20], unit}),
      .augend_i(place),
      .addend_i(28'd1),
      .sum_o   (next_place)
  );
  logic write_atom, write_operand, write_table;
  assign write_atom = chunk_valid && !is_word && !is_operand && !halt_q;
  assign write_operand = chunk_valid && is_operand && !halt_q;
  assign write_table = chunk_valid && is_table && !halt_q;
  assign cbuf_address_o = fresh_q ? transfer.dest : place_q[19:0];

  // Folded rows may share atoms: only the unit's bytes are written, the others stay.
  logic [AtomicC-1:0] bytes_written;
  logic [5:0] shift;
  assign shift = (transfer.fold && chunk_first) ? sink.offset : 6'd0;
  assign cbuf_data_o = chunk[AtomicC*8-1:0] << {shift, 3'b000};
  assign bytes_written = transfer.fold ? ~({AtomicC{1'b1}} << chunk_count) << shift : {AtomicC{1'b1}};

  logic cbuf_error, operand_error, table_error;
  assign cbuf_error = write_atom && 21'(cbuf_address_o) >= cbuf_limit_i;
  // What lies beyond the limit goes somewhere: the run has failed.
  assign cbuf_write_o = write_atom;
  assign cbuf_we_o = bytes_written;

  assign operand_error = write_operand && 21'(cbuf_address_o) >= 21'(OperandWords);
  assign table_error = write_table && place >= 28'(TableWords);

  // A cycle late, as parameters below: nothing reads them until a convolution behind their load has ended.
  unit_pkg::table_write_t table_q;
  always_ff @(posedge clk_i) begin
    operand_we_o <= rst_ni && write_operand;
    operand_address_o <= cbuf_address_o[11:0];
    operand_data_o <= chunk[AtomicK*8-1:0];
    table_q <= {rst_ni && write_table, place[8:0], chunk[31:0]};
  end
  assign table_o = table_q;

  logic record_ready, record_done, param_error;
  logic [9:0] record_group, group;
  logic [6:0] record_channel;
  logic [71:0] first_record, second_record;

  logic record_pair;
  param_records #(
      .AtomicK(AtomicK),
      .Whole(WholeRecords)
  ) u_records (
      .clk_i,
      .rst_ni(rst_ni && !transfer_done),
      .valid_i(chunk_valid && is_param),
      .chunk_i(64'(chunk)),
      .compact_i(is_compact),
      .uniform_i(is_bias),
      .factor_i(transfer.details[36:0]),
      .done_o(record_ready),
      .pair_o(record_pair),
      .group_o(record_group),
      .channel_o(record_channel),
      .first_o(first_record),
      .second_o(second_record)
  );

  assign record_done = record_ready && !halt_q;
  assign param_error = record_done && 21'(transfer.dest) + 21'(record_group) >= 21'(ParamGroups);
  assign group = 10'(transfer.dest) + record_group;
  unit_pkg::param_write_t param_q;
  always_ff @(posedge clk_i) param_q <= {rst_ni && record_done, record_pair, group, record_channel, second_record, first_record};
  assign param_o = param_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || transfer_done) begin
      fresh_q <= 1'b1;
    end else if (chunk_valid && !is_param) begin
      fresh_q <= 1'b0;
      place_q <= next_place;
      if (transfer.fold && chunk_last) unit_q <= unit;
      else if (fresh_q) unit_q <= transfer.dest;
    end
  end

  logic wrong_checksum, checksum_error, quiet;
  logic [31:0] checked_address;

  if (HasChecksums) begin : gen_checksum
    load_checksum #(
        .BusBytes(BusBytes)
    ) u_checksum (
        .clk_i,
        .rst_ni,
        .beat_i(beat_take && transfer.check),
        .data_i(r_data_i),
        .strobe_i(beat_strobe),
        .last_i(beat_last),
        .expected_i(transfer.checksum),
        .address_i(transfer.address),
        .error_o(wrong_checksum),
        .address_o(checked_address)
    );
  end else begin : gen_no_checksum
    assign wrong_checksum = 1'b0;
    assign checked_address = '0;
    logic unused;
    assign unused = transfer.check | (|transfer.checksum) | (|transfer.address) | (|beat_strobe);
  end

  assign checksum_error = wrong_checksum && !halt_q;

  // What is wrong with data is said a cycle late, and before what is found in that cycle.
  logic pixel_error, row_error, atoms_error, any_place_error;
  assign pixel_error = transfer_done && ragged && !halt_q;
  assign row_error = row_ragged && !halt_q;
  assign atoms_error = code_ragged && !halt_q;
  assign any_place_error = cbuf_error || param_error || operand_error || table_error;
  logic cbuf_error_q, param_error_q, operand_error_q, table_error_q, pixel_error_q, row_error_q, atoms_error_q, checksum_error_q;
  logic [27:0] error_place_q;
  logic [31:0] error_address_q;
  always_ff @(posedge clk_i) begin
    {cbuf_error_q, param_error_q, operand_error_q, table_error_q} <=
        {4{rst_ni}} & {cbuf_error, param_error, operand_error, table_error};
    {pixel_error_q, row_error_q, atoms_error_q, checksum_error_q} <=
        {4{rst_ni}} & {pixel_error, row_error, atoms_error, checksum_error};
    // Zeros where something else is said.
    error_place_q <= !any_place_error ? '0 : is_param ? 28'(transfer.dest) + 28'(record_group) : place;
    error_address_q <= (checksum_error && !any_place_error && !pixel_error) ? checked_address : '0;
  end
  logic place_error, data_error;
  assign place_error = cbuf_error_q || param_error_q || operand_error_q || table_error_q;
  assign data_error = place_error || pixel_error_q || row_error_q || atoms_error_q || checksum_error_q;

  // Status --------------------------------------------------------------------------------------

  assign quiet = transfers_empty && !splitter_busy && reader_empty;
  unit_pkg::error_t error;
  assign status_o.idle = quiet && !cmd_i.valid && !data_error;
  assign status_o.waiting = quiet && is_load && !tokens_ready;
  assign status_o.mark.valid = cmd_i.valid && cmd_ready_o && !cmd_i.works && cmd_i.other;
  assign status_o.mark.id = cmd_i.word[15:0];
  assign status_o.error = error;

  // What is said without an error means nothing.
  logic not_configured;
  logic [15:0] detail;
  assign not_configured = is_load && !configured && !halt_q && !splitter_busy;
  assign error.valid = data_error || not_configured || fold_error || code_error || record_error;
  always_comb begin
    if (place_error) begin
      error.cause = cbuf_error_q ? tessera_isa_pkg::ErrorCbufRange : param_error_q ? tessera_isa_pkg::ErrorParamRange :
          operand_error_q ? tessera_isa_pkg::ErrorOperandRange : tessera_isa_pkg::ErrorTableRange;
      detail = '0;
    end else if (pixel_error_q || ((row_error_q || atoms_error_q) && !checksum_error_q)) begin
      error.cause = tessera_isa_pkg::ErrorLoadLength;
      detail = pixel_error_q ? 16'd1 : row_error_q ? 16'd2 : 16'd3;
    end else if (checksum_error_q) begin
      error.cause = tessera_isa_pkg::ErrorLoadChecksum;
      detail = '0;
    end else if (not_configured) begin
      error.cause = tessera_isa_pkg::ErrorNotConfigured;
      detail = '0;
    end else if (fold_error) begin
      error.cause = tessera_isa_pkg::ErrorFoldRange;
      detail = source.pixel_bytes;
    end else begin
      error.cause = tessera_isa_pkg::ErrorLoadLength;
      detail = code_error ? 16'd3 : 16'd1;
    end
    error.info = 32'(error_place_q) | error_address_q | 32'(detail);
  end

endmodule
