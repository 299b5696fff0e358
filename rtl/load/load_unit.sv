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
    parameter int unsigned Outstanding = 8
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
    /// By byte of the atom.
    output logic [   AtomicC-1:0] cbuf_we_o,
    output logic [          19:0] cbuf_address_o,
    output logic [ AtomicC*8-1:0] cbuf_data_o,
    output unit_pkg::param_write_t param_o,
    /// Operands come as atoms, too.
    output logic                  operand_we_o,
    output logic [          11:0] operand_address_o,
    output unit_pkg::table_write_t table_o,
    output bus_pkg::requested_t   requested_o,
    output unit_pkg::status_t     status_o
);

  localparam int unsigned ParamRecordBytes = 12;
  localparam int unsigned TableWords = 512;  // two tables
  localparam int unsigned CompactRecordBytes = 8;
  localparam int unsigned UniformRecordBytes = 4;
  // Chunks carry an atom, a compact parameter record, a word of another one or a table's value.
  localparam int unsigned ChunkBytes = (AtomicC < CompactRecordBytes) ? CompactRecordBytes : AtomicC;
  localparam int unsigned ChunkCountBits = $clog2(ChunkBytes + 1);
  localparam int unsigned BeatCountBits = $clog2(BusBytes + 1);
  // A folded unit that fits an atom takes one cycle, however narrow the bus.
  localparam int unsigned FoldedBytes = (AtomicC > BusBytes) ? AtomicC : BusBytes;
  localparam int unsigned FoldedCountBits = $clog2(FoldedBytes + 1);

  // Requests ------------------------------------------------------------------------------------

  tessera_isa_pkg::ld_source_t source_q;
  tessera_isa_pkg::ld_shape_t shape_q;
  tessera_isa_pkg::ld_stride_t stride_q;
  tessera_isa_pkg::ld_fold_t fold_q;
  tessera_isa_pkg::ld_factor_t factor_q;
  tessera_isa_pkg::load_t load;
  logic [2:0] kind_q;
  logic [5:0] opcode;

  logic splitter_busy, transfers_full, transfers_empty;
  logic is_load, tokens_ready, start;
  logic source_set_q, shape_set_q, stride_set_q, fold_set_q, configured, fold_error;
  logic factor_set_q, is_uniform, record_error;

  assign opcode = cmd_i.word[63:58];
  assign load = cmd_i.word;
  assign is_load = cmd_i.valid && opcode == tessera_isa_pkg::OpLoad;
  assign is_uniform = load.kind == tessera_isa_pkg::LoadKindParam &&
      source_q.pixel_bytes == 16'(UniformRecordBytes);
  assign tokens_ready = (!load.wait_compute || tokens_i.compute_to_load) &&
      (!load.wait_store || tokens_i.store_to_load);
  // Strides matter only to transfers of several segments.
  assign configured = source_set_q && shape_set_q &&
      (stride_set_q || (shape_q.inner == 16'd1 && shape_q.outer == 16'd1)) &&
      (fold_set_q || !load.fold) && (factor_set_q || !is_uniform);
  assign fold_error = is_load && configured && load.fold && !halt_i &&
      (source_q.pixel_bytes > 16'(FoldBytes) || fold_q.advance > 7'(FoldBytes) ||
       load.kind != tessera_isa_pkg::LoadKindFeature || shape_q.inner != 16'd1 ||
       7'(fold_q.offset) >= 7'(AtomicC));
  assign record_error = is_load && configured && !halt_i && load.kind == tessera_isa_pkg::LoadKindParam &&
      source_q.pixel_bytes != 16'(ParamRecordBytes) && source_q.pixel_bytes != 16'(CompactRecordBytes) &&
      !is_uniform;
  assign start = is_load && configured && !fold_error && !record_error && tokens_ready && !splitter_busy && !transfers_full && !halt_i;
  assign cmd_ready_o = !halt_i && !splitter_busy && (is_load ? start : 1'b1);
  always_comb begin
    take_o = '0;
    take_o.compute_to_load = start && load.wait_compute;
    take_o.store_to_load = start && load.wait_store;
    post_o = '0;
    post_o.load_to_compute = transfer_done && sink_post;
  end

  always_ff @(posedge clk_i) begin
    if (cmd_i.valid && cmd_ready_o) begin
      unique case (opcode)
        tessera_isa_pkg::OpLdSource: source_q <= cmd_i.word;
        tessera_isa_pkg::OpLdShape: shape_q <= cmd_i.word;
        tessera_isa_pkg::OpLdStride: stride_q <= cmd_i.word;
        tessera_isa_pkg::OpLoad: kind_q <= load.kind;
        tessera_isa_pkg::OpLdFold: fold_q <= cmd_i.word;
        tessera_isa_pkg::OpLdFactor: factor_q <= cmd_i.word;
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      source_set_q <= 1'b0;
      shape_set_q  <= 1'b0;
      stride_set_q <= 1'b0;
      fold_set_q   <= 1'b0;
      factor_set_q <= 1'b0;
    end else if (cmd_i.valid && cmd_ready_o) begin
      if (opcode == tessera_isa_pkg::OpLdSource) source_set_q <= 1'b1;
      if (opcode == tessera_isa_pkg::OpLdShape) shape_set_q <= 1'b1;
      if (opcode == tessera_isa_pkg::OpLdStride) stride_set_q <= 1'b1;
      if (opcode == tessera_isa_pkg::OpLdFold) fold_set_q <= 1'b1;
      if (opcode == tessera_isa_pkg::OpLdFactor) factor_set_q <= 1'b1;
    end
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
      .address_i(source_q.address),
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
      .burst_last_o(burst_last)
  );

  assign ar_o = {burst_valid && reader_ready && !halt_i, burst_address, burst_len};
  assign burst_ready = ar_ready_i && reader_ready && !halt_i;

  assign requested_o = {burst_valid && burst_ready, kind_q, burst_bytes};

  // Data ----------------------------------------------------------------------------------------

  logic [2:0] sink_kind;
  logic [19:0] sink_dest;
  logic [15:0] sink_pixel_bytes;
  logic sink_post, sink_fold;
  logic [56:0] sink_fold_word;
  logic [23:0] sink_row_bytes;
  logic [36:0] sink_factor;
  logic sink_check;
  logic [23:0] sink_checksum;
  logic [31:0] sink_address;
  tessera_isa_pkg::ld_fold_t sink;
  assign sink = {7'd0, sink_fold_word};
  logic transfer_done, ragged;

  sync_fifo #(
      .Width(216),
      .Depth(4)
  ) u_transfers (
      .clk_i,
      .rst_ni,
      .push_i (start),
      .data_i ({
        load.kind, load.dest, source_q.pixel_bytes, load.post_compute, load.fold, fold_q[56:0],
        shape_q.segment_bytes, factor_q[36:0], load.check, load.checksum, source_q.address
      }),
      .full_o (transfers_full),
      .pop_i  (transfer_done),
      .data_o ({
        sink_kind, sink_dest, sink_pixel_bytes, sink_post, sink_fold, sink_fold_word, sink_row_bytes,
        sink_factor, sink_check, sink_checksum, sink_address
      }),
      .empty_o(transfers_empty)
  );

  logic beat_ready, beat_take, beat_last;
  logic [BeatCountBits-1:0] beat_offset, beat_bytes;

  burst_reader #(
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
      .beat_last_o(beat_last),
      .empty_o(reader_empty)
  );

  assign r_ready_o = halt_i || beat_ready;
  assign beat_take = r_valid_i && r_ready_o;

  logic is_param, is_compact, is_bias, is_operand, is_table, is_word, chunk_valid;
  logic [ChunkBytes*8-1:0] chunk;
  assign is_param = sink_kind == tessera_isa_pkg::LoadKindParam;
  assign is_compact = is_param && sink_pixel_bytes == 16'(CompactRecordBytes);
  assign is_bias = is_param && sink_pixel_bytes == 16'(UniformRecordBytes);
  assign is_operand = sink_kind == tessera_isa_pkg::LoadKindOperand;
  assign is_table = sink_kind == tessera_isa_pkg::LoadKindTable;
  assign is_word = is_param || is_table;

  logic folded_valid, folded_ready, folded_last, row_ragged;
  logic [FoldedBytes*8-1:0] folded_data;
  logic [FoldedCountBits-1:0] folded_offset, folded_bytes;

  tap_folder #(
      .InBytes  (BusBytes),
      .OutBytes (FoldedBytes),
      .FoldBytes(FoldBytes)
  ) u_folder (
      .clk_i,
      .rst_ni(rst_ni && !transfer_done),
      .active_i(sink_fold && !transfers_empty),
      .unit_bytes_i(sink_pixel_bytes[6:0]),
      .advance_i(sink.advance),
      .units_i(sink.units),
      .row_bytes_i(sink_row_bytes),
      .before_i(sink.pad_before),
      .after_i(sink.pad_after),
      .value_i(sink.value),
      .blank_i(sink.blank),
      .in_valid_i(beat_take && !halt_i),
      .in_ready_o(beat_ready),
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

  logic [ChunkCountBits-1:0] chunk_bytes, chunk_count;
  logic chunk_first, chunk_last;
  assign chunk_bytes = (is_compact || is_bias) ? ChunkCountBits'(CompactRecordBytes) :
      is_word ? ChunkCountBits'(4) : ChunkCountBits'(AtomicC);

  logic [6:0] unit_room;  // of a folded unit's first atom
  logic [ChunkCountBits-1:0] first_bytes;
  assign unit_room = 7'(AtomicC) - {1'b0, sink.offset};
  assign first_bytes = sink_fold ? ChunkCountBits'(unit_room) : chunk_bytes;

  stream_packer #(
      .InBytes (FoldedBytes),
      .OutBytes(ChunkBytes)
  ) u_packer (
      .clk_i,
      .rst_ni,
      .unit_bytes_i(is_table ? 16'd4 : is_bias ? 16'(2 * UniformRecordBytes) : sink_pixel_bytes),
      .first_bytes_i(first_bytes),
      .chunk_bytes_i(chunk_bytes),
      .in_valid_i(folded_valid && !halt_i),
      .in_ready_o(folded_ready),
      .in_data_i(folded_data),
      .in_offset_i(folded_offset),
      .in_bytes_i(folded_bytes),
      .in_last_i(folded_last),
      .out_valid_o(chunk_valid),
      .out_data_o(chunk),
      .out_count_o(chunk_count),
      .out_first_o(chunk_first),
      .out_last_o(chunk_last),
      .done_o(transfer_done),
      .ragged_o(ragged)
  );

  logic [19:0] written_q;  // atoms or table values of this transfer
  logic write_atom, write_operand, write_table;
  assign write_atom = chunk_valid && !is_word && !is_operand && !halt_i;
  assign write_operand = chunk_valid && is_operand && !halt_i;
  assign write_table = chunk_valid && is_table && !halt_i;
  assign cbuf_address_o = sink_dest + written_q;

  // Folded rows may share atoms: only the unit's bytes are written, the others stay.
  logic [AtomicC-1:0] bytes_written;
  logic [5:0] shift;
  assign shift = (sink_fold && chunk_first) ? sink.offset : 6'd0;
  assign cbuf_data_o = chunk[AtomicC*8-1:0] << {shift, 3'b000};
  assign bytes_written = sink_fold ? ~({AtomicC{1'b1}} << chunk_count) << shift : {AtomicC{1'b1}};

  logic [19:0] unit_q;  // first atom of the folded unit

  logic cbuf_error;
  assign cbuf_error = write_atom && 21'(cbuf_address_o) >= cbuf_limit_i;
  assign cbuf_we_o = {AtomicC{write_atom && !cbuf_error}} & bytes_written;

  logic operand_error, table_error;
  assign operand_error = write_operand && 21'(cbuf_address_o) >= 21'(OperandWords);
  assign operand_we_o = write_operand && !operand_error;
  assign operand_address_o = cbuf_address_o[11:0];

  logic [28:0] table_word;
  assign table_word = 29'({sink_dest, 8'd0}) + 29'(written_q);
  assign table_error = write_table && table_word >= 29'(TableWords);
  assign table_o = {write_table && !table_error, table_word[8:0], chunk[31:0]};

  // A parameter record arrives as bias, multiplier, shift, or in one piece.
  logic record_last, group_last;
  logic [6:0] channels;
  assign channels = is_bias ? 7'd2 : 7'd1;
  assign group_last = channel_q == 7'(AtomicK) - channels;
  assign record_last = is_compact || is_bias || record_word_q == 2'd2;
  logic [27:0] compact_bias;
  logic [5:0] compact_shift;
  logic [29:0] compact_multiplier;
  assign {compact_multiplier, compact_shift, compact_bias} = chunk[63:0];
  logic [1:0] record_word_q;
  logic [31:0] bias_q, multiplier_q;
  logic [9:0] group_q;
  logic [6:0] channel_q;
  logic record_done, param_error;

  assign record_done = chunk_valid && is_param && record_last && !halt_i;
  logic [39:0] factor;
  logic [71:0] record;
  assign factor = {{2{sink_factor[36]}}, sink_factor[36:31], 1'b0, sink_factor[30:0]};
  assign record = is_compact ?
      {{2{compact_shift[5]}}, compact_shift, 2'b01, compact_multiplier,
       {4{compact_bias[27]}}, compact_bias} :
      is_bias ? {factor, chunk[31:0]} : {chunk[7:0], multiplier_q, bias_q};
  assign param_error = record_done && 21'(sink_dest) + 21'(group_q) >= 21'(ParamGroups);
  logic [9:0] group;
  assign group = 10'(sink_dest) + group_q;
  assign param_o = {
        record_done && !param_error, is_bias, group, channel_q, factor, chunk[63:32], record
      };

  always_ff @(posedge clk_i) begin
    if (!rst_ni || transfer_done) begin
      written_q <= '0;
      record_word_q <= '0;
      group_q <= '0;
      channel_q <= '0;
      unit_q <= '0;
    end else if (chunk_valid) begin
      if (!is_param) begin
        written_q <= written_q + 20'd1;
        if (sink_fold && chunk_last) begin
          unit_q <= unit_q + 20'(sink.unit_step);
          written_q <= unit_q + 20'(sink.unit_step);
        end
      end else begin
        record_word_q <= record_last ? '0 : record_word_q + 2'd1;
        if (record_word_q == 2'd0) bias_q <= chunk[31:0];
        if (record_word_q == 2'd1) multiplier_q <= chunk[31:0];
        if (record_last) begin
          channel_q <= group_last ? '0 : channel_q + channels;
          if (group_last) group_q <= group_q + 10'd1;
        end
      end
    end
  end

  // Checksum ------------------------------------------------------------------------------------

  function automatic logic [23:0] next_crc(logic [23:0] crc, logic [BusBytes*8-1:0] beat);
    next_crc = crc;
    for (int i = 0; i < BusBytes / 4; i++) begin
      next_crc = checksum_pkg::next_crc24(next_crc, beat[32*i+:32]);
    end
  endfunction

  logic [BusBytes*8-1:0] beat_mask, read_data;
  logic [BusBytes-1:0] beat_used;
  assign beat_used = ~({BusBytes{1'b1}} << beat_bytes) << beat_offset;
  for (genvar b = 0; b < BusBytes; b++) begin : gen_mask
    assign beat_mask[8*b+:8] = {8{beat_used[b]}};
  end
  assign read_data = r_data_i & beat_mask;

  // Compared a cycle after the last beat: what the load gave its token for cannot have gone far.
  logic [23:0] crc_q, expected_q;
  logic [31:0] checked_address_q;
  logic compare_q, checksum_error;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      crc_q <= '1;
      compare_q <= 1'b0;
    end else begin
      compare_q <= 1'b0;
      if (compare_q) crc_q <= '1;
      if (beat_take && sink_check) begin
        crc_q <= next_crc(compare_q ? '1 : crc_q, read_data);
        compare_q <= beat_last;
        expected_q <= sink_checksum;
        checked_address_q <= sink_address;
      end
    end
  end
  assign checksum_error = compare_q && crc_q != expected_q && !halt_i;

  // Status --------------------------------------------------------------------------------------

  logic quiet;
  assign quiet = transfers_empty && !splitter_busy && reader_empty;
  unit_pkg::error_t error;
  assign status_o.idle = quiet && !cmd_i.valid;
  assign status_o.waiting = quiet && is_load && !tokens_ready;
  assign status_o.mark.valid = cmd_i.valid && cmd_ready_o && opcode == tessera_isa_pkg::OpLdMark;
  assign status_o.mark.id = cmd_i.word[15:0];
  assign status_o.error = error;

  always_comb begin
    error.valid = 1'b0;
    error.cause = tessera_isa_pkg::ErrorNone;
    error.info = '0;
    if (is_load && !configured && !halt_i && !splitter_busy) begin
      error.valid = 1'b1;
      error.cause = tessera_isa_pkg::ErrorNotConfigured;
      error.info = 32'd0;
    end else if (fold_error) begin
      error.valid = 1'b1;
      error.cause = tessera_isa_pkg::ErrorFoldRange;
      error.info = 32'(source_q.pixel_bytes);
    end else if (record_error) begin
      error.valid = 1'b1;
      error.cause = tessera_isa_pkg::ErrorLoadLength;
      error.info = 32'd1;
    end else if (cbuf_error) begin
      error.valid = 1'b1;
      error.cause = tessera_isa_pkg::ErrorCbufRange;
      error.info = 32'(cbuf_address_o);
    end else if (param_error) begin
      error.valid = 1'b1;
      error.cause = tessera_isa_pkg::ErrorParamRange;
      error.info = 32'(sink_dest) + 32'(group_q);
    end else if (operand_error) begin
      error.valid = 1'b1;
      error.cause = tessera_isa_pkg::ErrorOperandRange;
      error.info = 32'(cbuf_address_o);
    end else if (table_error) begin
      error.valid = 1'b1;
      error.cause = tessera_isa_pkg::ErrorTableRange;
      error.info = 32'(table_word);
    end else if (transfer_done && ragged && !halt_i) begin
      error.valid = 1'b1;
      error.cause = tessera_isa_pkg::ErrorLoadLength;
      error.info = 32'd1;
    end else if (checksum_error) begin
      error.valid = 1'b1;
      error.cause = tessera_isa_pkg::ErrorLoadChecksum;
      error.info = checked_address_q;
    end else if (row_ragged && !halt_i) begin
      error.valid = 1'b1;
      error.cause = tessera_isa_pkg::ErrorLoadLength;
      error.info = 32'd2;
    end
  end

endmodule
