/// Command front end: reads the stream from external memory, checks every word and feeds the
/// queues of the units. Where it is to, it reads the whole stream before that and compares its
/// CRC-32.
module command_fetch #(
    parameter int unsigned BusBytes = 8,
    /// A bit for each feature that is built.
    parameter int unsigned Features = (1 << tessera_isa_pkg::NumFeatures) - 1
) (
    input  logic                  clk_i,
    /// Synchronous reset, active low: forgets the stream.
    input  logic                  rst_ni,
    input  logic                  halt_i,
    /// Bytes and address are multiples of 8.
    input  unit_pkg::run_t        run_i,
    /// Read bursts, one under way at a time.
    output bus_pkg::burst_t       ar_o,
    input  logic                  ar_ready_i,
    input  logic                  r_valid_i,
    output logic                  r_ready_o,
    input  logic [BusBytes*8-1:0] r_data_i,
    output bus_pkg::requested_t   requested_o,
    /// The word at the head and the unit that takes it (bit 0: load, 1: compute, 2: store).
    output unit_pkg::decoded_t    word_o,
    output logic [           2:0] push_o,
    input  logic [           2:0] full_i,
    /// END was reached.
    output logic                  ended_o,
    /// The head cannot move because its queue is full.
    output logic                  blocked_o,
    output unit_pkg::error_t      error_o
);

  localparam bit HasChecksums = (Features >> tessera_isa_pkg::FeatureChecksums) % 2 == 1;
  localparam int unsigned BufferWords = 64;
  localparam int unsigned BurstBytes = 256;
  localparam int unsigned OffsetBits = $clog2(BusBytes);
  localparam int unsigned CountBits = $clog2(BusBytes + 1);

  // A cycle late, from a register nearby, which synthesis does not share with the units.
  logic halt_q;
  (* keep *) always_ff @(posedge clk_i) halt_q <= rst_ni && halt_i;

  logic running_q, pending_q, ended_q, checking_q;
  logic [31:0] address_q, left_q, offset_q;

  // Requests: bursts of at most half the buffer that end at its multiples. Known from the cycle before: how far it is to the next
  // one, whether there is more to request, whether no more than one burst.
  localparam int unsigned BorderBits = $clog2(BurstBytes);
  logic [BorderBits:0] limit_q;
  logic more_q, final_q;
  logic [31:0] rest;
  logic [12:0] bytes;
  logic [7:0] last_beat;
  logic [6:0] words_q;  // words requested or buffered
  logic reader_ready, reader_empty, request;
  assign bytes = final_q ? 13'(left_q[BorderBits:0]) : 13'(limit_q);
  assign last_beat = 8'((13'(address_q[OffsetBits-1:0]) + bytes - 13'd1) >> OffsetBits);
  logic ar_valid;
  assign ar_valid = running_q && !pending_q && more_q && !ended_q && !halt_q &&
      words_q <= 7'(BufferWords / 2) && reader_ready;
  assign request = ar_valid && ar_ready_i;
  assign ar_o = {ar_valid, address_q, last_beat};
  assign requested_o = {request, 3'd0, bytes};

  logic beat_take, beat_ready, beat_last, word_valid, packed_done;
  logic [CountBits-1:0] beat_offset, beat_bytes;
  logic [BusBytes-1:0] beat_strobe;
  logic [63:0] packed_word;

  burst_beats #(
      .BusBytes(BusBytes),
      .Outstanding(2)
  ) u_reader (
      .clk_i,
      .rst_ni,
      .burst_valid_i(request),
      .burst_ready_o(reader_ready),
      .burst_offset_i(address_q[OffsetBits-1:0]),
      .burst_bytes_i(bytes),
      .burst_last_i(1'b1),
      .beat_i(beat_take),
      .beat_offset_o(beat_offset),
      .beat_bytes_o(beat_bytes),
      .beat_strobe_o(beat_strobe),
      .beat_last_o(beat_last),
      .empty_o(reader_empty)
  );

  assign r_ready_o = halt_q || beat_ready;
  assign beat_take = r_valid_i && r_ready_o;

  // Bursts begin and end at words.
  if (BusBytes <= 8) begin : gen_narrow
    word_packer #(
        .BusBytes(BusBytes)
    ) u_packer (
        .clk_i,
        .rst_ni,
        .in_valid_i(beat_take && !halt_q),
        .in_ready_o(beat_ready),
        .in_data_i(r_data_i),
        .in_last_i(beat_last),
        .out_valid_o(word_valid),
        .out_data_o(packed_word),
        .done_o(packed_done)
    );
    logic unused;
    assign unused = (|beat_offset) | (|beat_bytes);
  end else begin : gen_wide
    logic [3:0] word_bytes;
    logic ragged, word_first, word_last;
    stream_packer #(
        .InBytes (BusBytes),
        .OutBytes(8),
        .Grain(8)
    ) u_packer (
        .clk_i,
        .rst_ni,
        .unit_bytes_i(16'd8),
        .one_chunk_i(1'b1),
        .first_bytes_i(4'd8),
        .chunk_bytes_i(4'd8),
        .in_valid_i(beat_take && !halt_q),
        .in_ready_o(beat_ready),
        .in_data_i(r_data_i),
        .in_offset_i(beat_offset),
        .in_bytes_i(beat_bytes),
        .in_last_i(beat_last),
        .out_valid_o(word_valid),
        .out_data_o(packed_word),
        .out_count_o(word_bytes),
        .out_first_o(word_first),
        .out_last_o(word_last),
        .done_o(packed_done),
        .ragged_o(ragged)
    );
    logic unused;
    assign unused = ragged | word_first | word_last | (|word_bytes);
  end

  logic head_valid, buffer_empty, buffer_full, pop;
  // Whether a word is legal, all that it needs is built, and where it goes, is found out as it comes, not behind the memory's
  // slow output.
  logic legal, known_word, built_word, is_legal, is_built, is_end;
  logic [1:0] unit;
  assign is_legal = tessera_isa_pkg::is_legal(packed_word);
  assign is_built = (tessera_isa_pkg::features_of(packed_word) & ~(tessera_isa_pkg::NumFeatures'(Features))) == '0;
  sync_fifo #(
      .Width(unit_pkg::DecodedBits + 5),
      .Depth(BufferWords)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .push_i (word_valid),
      .data_i ({
        tessera_isa_pkg::unit_of(packed_word[63:58]), packed_word[63:58] == tessera_isa_pkg::OpEnd, is_legal, is_built,
        unit_pkg::decoded(packed_word)
      }),
      .full_o (buffer_full),
      .pop_i  (pop),
      .data_o ({unit, is_end, known_word, built_word, word_o}),
      .empty_o(buffer_empty)
  );

  logic queue_full;
  assign legal = known_word && built_word;
  assign head_valid = !buffer_empty && running_q && !checking_q && !ended_q && !halt_q;

  always_comb begin
    push_o = '0;
    queue_full = 1'b0;
    unique case (unit)
      tessera_isa_pkg::UnitLoad: begin
        push_o[0]  = head_valid && legal && !full_i[0];
        queue_full = full_i[0];
      end
      tessera_isa_pkg::UnitCompute: begin
        push_o[1]  = head_valid && legal && !full_i[1];
        queue_full = full_i[1];
      end
      tessera_isa_pkg::UnitStore: begin
        push_o[2]  = head_valid && legal && !full_i[2];
        queue_full = full_i[2];
      end
      default: ;
    endcase
  end
  // While checking, words go no further than the checksum.
  logic summed;
  assign summed = !buffer_empty && checking_q && !halt_q;
  assign pop = summed || (head_valid && legal && !queue_full);
  assign blocked_o = head_valid && legal && queue_full;
  assign ended_o = ended_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      pending_q <= 1'b0;
      ended_q   <= 1'b0;
      checking_q <= 1'b0;
      words_q   <= '0;
    end else if (run_i.start) begin
      running_q <= 1'b1;
      offset_q <= '0;
      checking_q <= run_i.check && HasChecksums;
    end else if (all_read && checking_q && is_same) begin
      checking_q <= 1'b0;
    end else begin
      if (request) begin
        pending_q <= 1'b1;
      end else if (packed_done) begin
        pending_q <= 1'b0;
      end
      words_q <= more_words - 7'(pop);
      if (pop && !checking_q) begin
        offset_q <= offset_q + 32'd8;
        if (is_end) ended_q <= 1'b1;
      end
    end
  end

  logic [6:0] more_words;
  masked_adder #(
      .Width(7)
  ) u_words (
      .augend_i(words_q),
      .addend_i(bytes[9:3]),
      .enable_i(request),
      .sum_o   (more_words)
  );

  logic begins;
  logic [31:BorderBits] next_border;  // or where the first one begins
  logic [BorderBits-1:0] behind_border_q;  // bytes from the border before the request to where it begins
  // A second time, when all was checked: whether the sum is right comes late, and decides only whether there is more to read.
  assign begins = run_i.start || (all_read && checking_q);
  loaded_adder #(
      .Width(32 - BorderBits)
  ) u_next (
      .load_i  (begins),
      .value_i (run_i.address[31:BorderBits]),
      .augend_i(address_q[31:BorderBits]),
      .addend_i((32 - BorderBits)'(1)),
      .sum_o   (next_border)
  );
  // Less what the request reads up to the next border: all ones above what lies behind the one before.
  loaded_adder #(
      .Width(32)
  ) u_rest (
      .load_i  (begins),
      .value_i (run_i.bytes),
      .augend_i(left_q),
      .addend_i({{32 - BorderBits{1'b1}}, behind_border_q}),
      .sum_o   (rest)
  );

  // The first request reads all if that ends no later than the border behind it.
  logic first_is_all;
  assign first_is_all = (BorderBits + 2)'(run_i.bytes[BorderBits:0]) + (BorderBits + 2)'(run_i.address[BorderBits-1:0]) <=
      (BorderBits + 2)'(BurstBytes);

  always_ff @(posedge clk_i) begin
    if (begins || request) begin
      left_q  <= rest;
      final_q <= rest[31:BorderBits+1] == '0 && (begins ? first_is_all : !rest[BorderBits] || rest[BorderBits-1:0] == '0);
    end
    if (begins) begin
      behind_border_q <= run_i.address[BorderBits-1:0];
      address_q <= {next_border, run_i.address[BorderBits-1:0]};
      limit_q <= (BorderBits + 1)'(BurstBytes) - {1'b0, run_i.address[BorderBits-1:0]};
      more_q <= run_i.start || is_same;
    end else if (request) begin
      address_q <= {next_border, BorderBits'(0)};
      behind_border_q <= '0;
      limit_q <= (BorderBits + 1)'(BurstBytes);
      more_q <= !final_q;
    end
  end

  logic all_read;
  assign all_read = running_q && !ended_q && !more_q && !pending_q && reader_empty &&
      buffer_empty && !sum_valid && !halt_q;

  // The sum of the word that was buffered in the cycle before; on a narrow bus, where words take two beats to come, of each beat two
  // cycles later, as the word leaves the buffer.
  localparam int unsigned SumBits = (BusBytes <= 4) ? 32 : 64;
  logic [31:0] crc_q, next_crc, crc;
  logic [SumBits-1:0] summand;
  logic sum_valid, is_same;
  if (BusBytes <= 4) begin : gen_beats
    logic [3*SumBits-1:0] beats_q;
    logic [2:0] valid_q;
    always_ff @(posedge clk_i) begin
      beats_q <= {beats_q[2*SumBits-1:0], r_data_i};
      if (!rst_ni || run_i.start) valid_q <= '0;
      else valid_q <= {valid_q[1:0], beat_take && checking_q && !halt_q};
    end
    assign summand = beats_q[2*SumBits+:SumBits];
    assign sum_valid = valid_q[2];
  end else begin : gen_words
    logic [63:0] word_q;
    logic valid_q;
    always_ff @(posedge clk_i) begin
      word_q <= packed_word;
      if (!rst_ni || run_i.start) valid_q <= 1'b0;
      else valid_q <= word_valid && checking_q;
    end
    assign summand = word_q;
    assign sum_valid = valid_q;
  end
  crc_next #(
      .DataBits(SumBits)
  ) u_crc (
      .crc_i (crc_q),
      .data_i(summand),
      .crc_o (next_crc)
  );
  assign crc = sum_valid ? next_crc : crc_q;
  assign is_same = ~crc_q == run_i.checksum;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || run_i.start) crc_q <= '1;
    else crc_q <= crc;
  end

  always_comb begin
    error_o.valid = 1'b1;
    error_o.cause = tessera_isa_pkg::ErrorNone;
    error_o.info = offset_q;
    if (head_valid && !legal) error_o.cause = known_word ? tessera_isa_pkg::ErrorNotBuilt : tessera_isa_pkg::ErrorIllegalCommand;
    else if (all_read && checking_q && !is_same) begin
      error_o.cause = tessera_isa_pkg::ErrorStreamChecksum;
      error_o.info  = ~crc_q;
    end else if (all_read && !checking_q) error_o.cause = tessera_isa_pkg::ErrorStreamEnd;
    else error_o.valid = 1'b0;
  end

  // The buffer has a place for every word requested, and requests are whole words.
  logic unused;
  assign unused = buffer_full | (|beat_strobe);

endmodule
