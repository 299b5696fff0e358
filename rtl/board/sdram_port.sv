/// An AXI4 slave for the accelerator and a port of bytes for the host link in front of an SDRAM.
/// Reads are answered in the order in which they came. Writes are collected and go to the memory
/// some beats at a time between the reads; their response says that they are there.
///
/// INCR bursts of full-width beats. Memory without byte masks is read first where a beat writes
/// some of its bytes only.
module sdram_port #(
    /// Bytes per beat, a power of two of at least DataBytes.
    parameter int unsigned BusBytes = 4,
    /// Bytes per word of the memory, a power of two.
    parameter int unsigned DataBytes = 2,
    parameter int unsigned AddressBits = 24,
    parameter bit HasMasks = 1'b1
) (
    input  logic                   clk_i,
    /// Synchronous reset, active low.
    input  logic                   rst_ni,
    input  logic                   s_arvalid_i,
    output logic                   s_arready_o,
    input  logic                   s_arid_i,
    input  logic [           31:0] s_araddr_i,
    input  logic [            7:0] s_arlen_i,
    output logic                   s_rvalid_o,
    input  logic                   s_rready_i,
    output logic                   s_rid_o,
    output logic [ BusBytes*8-1:0] s_rdata_o,
    output logic [            1:0] s_rresp_o,
    output logic                   s_rlast_o,
    input  logic                   s_awvalid_i,
    output logic                   s_awready_o,
    input  logic [           31:0] s_awaddr_i,
    input  logic                   s_wvalid_i,
    output logic                   s_wready_o,
    input  logic [ BusBytes*8-1:0] s_wdata_i,
    input  logic [   BusBytes-1:0] s_wstrb_i,
    input  logic                   s_wlast_i,
    output logic                   s_bvalid_o,
    input  logic                   s_bready_i,
    output logic [            1:0] s_bresp_o,
    /// Bytes.
    input  logic                   byte_valid_i,
    output logic                   byte_ready_o,
    input  logic                   byte_write_i,
    input  logic [           31:0] byte_address_i,
    input  logic [            7:0] byte_data_i,
    output logic                   byte_valid_o,
    output logic [            7:0] byte_data_o,
    /// As sdram_controller has them.
    output logic                   req_valid_o,
    input  logic                   req_ready_i,
    output logic                   req_write_o,
    output logic [AddressBits-1:0] req_address_o,
    output logic [            7:0] req_words_o,
    output logic [DataBytes*8-1:0] w_data_o,
    output logic [  DataBytes-1:0] w_strobe_o,
    input  logic                   w_take_i,
    input  logic                   r_valid_i,
    input  logic [DataBytes*8-1:0] r_data_i
);

  localparam int unsigned Words = BusBytes / DataBytes;
  localparam int unsigned BeatShift = $clog2(BusBytes);
  localparam int unsigned WordShift = $clog2(DataBytes);
  localparam int unsigned WordBits = (Words > 1) ? $clog2(Words) : 1;
  localparam int unsigned BeatBits = AddressBits + WordShift - BeatShift;
  /// Beats of a request to the memory at most.
  localparam int unsigned Chunk = 16;
  localparam int unsigned Room = 64;
  localparam logic [1:0] RespDecErr = 2'd3;

  // Bursts that wait ---------------------------------------------------------------------------

  // Beats of the memory; an address beyond it is answered with an error.
  logic ar_empty, ar_full, ar_pop, ar_id;
  logic [31:0] ar_address;
  logic [7:0] ar_len;
  sync_fifo #(
      .Width(41),
      .Depth(4)
  ) u_ar (
      .clk_i,
      .rst_ni,
      .push_i (s_arvalid_i),
      .data_i ({s_arid_i, s_araddr_i, s_arlen_i}),
      .full_o (ar_full),
      .pop_i  (ar_pop),
      .data_o ({ar_id, ar_address, ar_len}),
      .empty_o(ar_empty)
  );
  assign s_arready_o = !ar_full;

  // The burst whose chunks are asked for.
  logic reading_q, read_id_q, read_out_q;
  logic [BeatBits-1:0] read_beat_q;
  logic [8:0] read_left_q;
  logic [4:0] read_chunk;
  assign read_chunk = (read_left_q > 9'(Chunk)) ? 5'(Chunk) : read_left_q[4:0];

  // Writes: beats wait in a queue, those of the burst that goes to the memory and of the one behind it.
  typedef struct packed {
    logic valid;
    logic out;  // not of the memory
    logic ends;  // the last beat is in the queue
    logic [BeatBits-1:0] beat;  // address of the next one
    logic [5:0] waiting;  // beats in the queue
    logic [5:0] partial;  // and those among them that leave bytes as they are
  } burst_t;
  burst_t burst_q, behind_q, burst, behind, arrival;
  logic w_empty, w_full, w_pop, w_last;
  logic [BusBytes*8-1:0] w_beat;
  logic [BusBytes-1:0] w_strobes;
  sync_fifo #(
      .Width(BusBytes * 9 + 1),
      .Depth(32)
  ) u_w (
      .clk_i,
      .rst_ni,
      .push_i (s_wvalid_i && s_wready_o),
      .data_i ({s_wlast_i, s_wstrb_i, s_wdata_i}),
      .full_o (w_full),
      .pop_i  (w_pop),
      .data_o ({w_last, w_strobes, w_beat}),
      .empty_o(w_empty)
  );
  assign s_wready_o = !w_full && ((burst_q.valid && !burst_q.ends) || (behind_q.valid && !behind_q.ends));

  // Responses that were not taken, the first one's and the second one's errors.
  logic [1:0] responses_q, errors_q;
  // Two bursts are under way at most, up to their responses.
  logic [1:0] accepted_q;
  logic finished;
  assign s_awready_o = !accepted_q[1];
  assign finished = w_pop && w_last;

  // Who goes to the memory ----------------------------------------------------------------------

  typedef enum logic [2:0] {
    Choose,
    Ask,       // the request waits to be taken
    WriteMove, // its words are taken
    MergeRead, // the beat's bytes that stay are read
    MergeWait
  } state_t;

  typedef enum logic [1:0] {
    ForRead      = 2'd0,
    ForWrite     = 2'd1,
    ForByteRead  = 2'd2,
    ForByteWrite = 2'd3
  } purpose_t;

  state_t state_q;
  purpose_t purpose_q;
  logic [4:0] beats_q;  // of the request that are still to be moved
  logic [WordBits-1:0] word_q;
  logic merge_q;

  // Answers that are under way: for whom the words that come are.
  typedef struct packed {
    purpose_t   purpose;
    logic       id;
    logic       last;
    logic       refused;
    logic [4:0] beats;
  } answer_t;
  answer_t answer_in, answer;
  logic answer_push, answer_pop, answer_full, answer_empty;
  sync_fifo #(
      .Width($bits(answer_in)),
      .Depth(8)
  ) u_answers (
      .clk_i,
      .rst_ni,
      .push_i (answer_push),
      .data_i (answer_in),
      .full_o (answer_full),
      .pop_i  (answer_pop),
      .data_o (answer),
      .empty_o(answer_empty)
  );

  // Room for what is read: beats that are under way or wait for the accelerator.
  logic [6:0] taken_q;
  logic data_pop, data_empty;
  logic read_ready, write_ready, byte_ready;
  // Answers of bursts that were refused have no words: nothing may come behind them meanwhile.
  logic refusing_q, may_answer;
  assign may_answer = !answer_full && !refusing_q;
  assign read_ready = reading_q && may_answer && taken_q <= 7'(Room - Chunk);
  // Some beats together, or the burst's last ones.
  assign write_ready = burst_q.waiting != '0 && (burst_q.waiting >= 6'(Chunk) || burst_q.ends) && may_answer;
  assign byte_ready = byte_valid_i && may_answer;

  // Without masks, beats that leave bytes as they are go alone.
  logic whole, together;
  assign whole = HasMasks || (&w_strobes);
  assign together = HasMasks || burst_q.partial == '0;

  logic asks, taken;
  assign asks  = state_q == Ask;
  assign taken = req_valid_o && req_ready_i;
  assign req_valid_o = asks && !(purpose_q == ForRead && read_out_q) &&
      !(purpose_q == ForWrite && burst_q.out);
  assign req_write_o = (purpose_q == ForWrite || purpose_q == ForByteWrite) && !merge_q;

  logic [BeatBits-1:0] beat;
  always_comb begin
    unique case (purpose_q)
      ForRead: beat = read_beat_q;
      ForWrite: beat = burst_q.beat;
      default: beat = byte_address_i[BeatShift+:BeatBits];
    endcase
  end
  assign req_address_o = AddressBits'(beat) << (BeatShift - WordShift);
  assign req_words_o = 8'(beats_q) << (BeatShift - WordShift);

  // The beat that is moved ----------------------------------------------------------------------

  logic [BusBytes*8-1:0] merged_q, out_beat;
  logic [BusBytes-1:0] strobes, byte_lane;
  logic [BusBytes*8-1:0] wanted;
  assign byte_lane = BusBytes'(1) << byte_address_i[BeatShift-1:0];
  assign strobes = (purpose_q == ForByteWrite) ? byte_lane : w_strobes;
  assign wanted = (purpose_q == ForByteWrite) ? {BusBytes{byte_data_i}} : w_beat;
  always_comb begin
    for (int b = 0; b < BusBytes; b++) begin
      out_beat[8*b+:8] = (strobes[b] || HasMasks) ? wanted[8*b+:8] : merged_q[8*b+:8];
    end
  end
  logic last_word;
  if (Words == 1) begin : gen_same
    assign w_data_o = out_beat;
    assign w_strobe_o = strobes;
    assign last_word = 1'b1;
  end else begin : gen_narrow
    assign w_data_o = out_beat[DataBytes*8*word_q+:DataBytes*8];
    assign w_strobe_o = strobes[DataBytes*word_q+:DataBytes];
    assign last_word = word_q == WordBits'(Words - 1);
  end

  logic beat_moved, byte_done, refused_pop;
  assign beat_moved = state_q == WriteMove && w_take_i && last_word;
  // A burst outside the memory writes nothing.
  assign refused_pop = asks && purpose_q == ForWrite && burst_q.out;
  assign w_pop = (beat_moved && purpose_q == ForWrite) || refused_pop;
  assign byte_done = (beat_moved && purpose_q == ForByteWrite) ||
      (taken && purpose_q == ForByteRead);
  assign byte_ready_o = byte_done;

  logic merge_came;

  function automatic logic is_outside(logic [31:0] address);
    is_outside = |(33'(address) >> (AddressBits + WordShift));
  endfunction

  logic aw_taken, w_taken, b_taken;
  assign aw_taken = s_awvalid_i && s_awready_o;
  assign w_taken  = s_wvalid_i && s_wready_o;
  assign b_taken  = s_bvalid_o && s_bready_i;
  always_comb begin
    burst = burst_q;
    behind = behind_q;
    if (w_taken && !burst_q.ends) begin
      burst.waiting += 6'd1;
      burst.partial += 6'(!(&s_wstrb_i));
      burst.ends = s_wlast_i;
    end else if (w_taken) begin
      behind.waiting += 6'd1;
      behind.partial += 6'(!(&s_wstrb_i));
      behind.ends = s_wlast_i;
    end
    if (w_pop) begin
      burst.waiting -= 6'd1;
      burst.partial -= 6'(!(&w_strobes));
      burst.beat += 1'b1;
    end
    arrival = '0;
    arrival.valid = 1'b1;
    arrival.out = is_outside(s_awaddr_i);
    arrival.beat = s_awaddr_i[BeatShift+:BeatBits];
    if (aw_taken && burst.valid) behind = arrival;
    else if (aw_taken) burst = arrival;
    if (finished) begin
      burst  = behind;
      behind = '0;
    end
  end

  // The next burst is taken up as the last chunk of the one before leaves.
  logic burst_left;
  assign burst_left = taken && purpose_q == ForRead && read_left_q == 9'(beats_q);
  assign ar_pop = !ar_empty && (!reading_q || burst_left);

  logic refuse_read;
  assign refuse_read = asks && purpose_q == ForRead && read_out_q;
  assign answer_push = (taken && !req_write_o) || refuse_read;
  assign answer_in.purpose = purpose_q;
  assign answer_in.id = read_id_q;
  assign answer_in.last = read_left_q == 9'(beats_q);
  assign answer_in.refused = refuse_read;
  assign answer_in.beats = beats_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Choose;
      purpose_q <= ForRead;
      reading_q <= 1'b0;
      burst_q <= '0;
      behind_q <= '0;
      responses_q <= '0;
      accepted_q <= '0;
      taken_q <= '0;
      refusing_q <= 1'b0;
      merge_q <= 1'b0;
      word_q <= '0;
    end else begin
      burst_q <= burst;
      behind_q <= behind;
      accepted_q <= accepted_q + 2'(aw_taken) - 2'(b_taken);
      responses_q <= responses_q + 2'(finished) - 2'(b_taken);
      if (b_taken) errors_q <= errors_q >> 1;
      if (finished) errors_q[responses_q == (b_taken ? 2'd2 : 2'd1)] <= burst_q.out;
      if (refuse_read) refusing_q <= 1'b1;
      else if (answer_pop && answer.refused) refusing_q <= 1'b0;
      taken_q <= taken_q - 7'(data_pop) +
          ((answer_push && purpose_q == ForRead) ? 7'(beats_q) : 7'd0);

      unique case (state_q)
        Choose: begin
          merge_q <= 1'b0;
          word_q  <= '0;
          // All take turns where they wait together.
          if (byte_ready && !purpose_q[1]) begin
            state_q   <= Ask;
            purpose_q <= byte_write_i ? ForByteWrite : ForByteRead;
            merge_q   <= byte_write_i && !HasMasks;
            beats_q   <= 5'd1;
          end else if (write_ready && !(read_ready && purpose_q == ForWrite)) begin
            state_q   <= Ask;
            purpose_q <= ForWrite;
            merge_q   <= !whole;
            beats_q   <= !together ? 5'd1 :
                (burst_q.waiting > 6'(Chunk)) ? 5'(Chunk) : burst_q.waiting[4:0];
          end else if (read_ready) begin
            state_q   <= Ask;
            purpose_q <= ForRead;
            beats_q   <= read_chunk;
          end else if (byte_ready) begin
            state_q   <= Ask;
            purpose_q <= byte_write_i ? ForByteWrite : ForByteRead;
            merge_q   <= byte_write_i && !HasMasks;
            beats_q   <= 5'd1;
          end
        end

        Ask:
        if (refuse_read) begin
          state_q <= Choose;
          read_left_q <= read_left_q - 9'(beats_q);
          if (read_left_q == 9'(beats_q)) reading_q <= 1'b0;
        end else if (refused_pop) begin
          state_q <= Choose;
        end else if (req_ready_i) begin
          if (req_write_o) begin
            state_q <= WriteMove;
          end else if (merge_q) begin
            state_q <= MergeWait;
          end else begin
            state_q <= Choose;
            if (purpose_q == ForRead) begin
              read_beat_q <= read_beat_q + BeatBits'(beats_q);
              read_left_q <= read_left_q - 9'(beats_q);
              if (read_left_q == 9'(beats_q)) reading_q <= 1'b0;
            end
          end
        end

        WriteMove:
        if (w_take_i) begin
          word_q <= last_word ? '0 : word_q + 1'b1;
          if (last_word) begin
            beats_q <= beats_q - 5'd1;
            if (beats_q == 5'd1) state_q <= Choose;
          end
        end

        default:
        if (merge_came) begin
          merge_q <= 1'b0;
          state_q <= Ask;
        end
      endcase
      if (ar_pop) begin
        reading_q <= 1'b1;
        read_id_q <= ar_id;
        read_out_q <= is_outside(ar_address);
        read_beat_q <= ar_address[BeatShift+:BeatBits];
        read_left_q <= 9'(ar_len) + 9'd1;
      end
    end
  end

  assign s_bvalid_o = responses_q != '0;
  assign s_bresp_o  = errors_q[0] ? RespDecErr : 2'd0;

  // What comes back -----------------------------------------------------------------------------

  logic [BusBytes*8-1:0] gathered;
  logic [WordBits-1:0] got_q;
  logic [4:0] got_beats_q;
  logic beat_came, answer_last;
  if (Words == 1) begin : gen_word
    assign gathered  = r_data_i;
    assign beat_came = !answer_empty && (answer.refused || r_valid_i);
  end else begin : gen_words
    logic [(BusBytes-DataBytes)*8-1:0] gathered_q;
    always_ff @(posedge clk_i) if (r_valid_i) gathered_q <= gathered[BusBytes*8-1:DataBytes*8];
    assign gathered = {r_data_i, gathered_q};
    assign beat_came = !answer_empty && (answer.refused ||
        (r_valid_i && got_q == WordBits'(Words - 1)));
  end
  assign answer_last = got_beats_q + 5'd1 == answer.beats;
  assign answer_pop  = beat_came && answer_last;
  assign merge_came  = beat_came && (answer.purpose == ForWrite || answer.purpose == ForByteWrite);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      got_q <= '0;
      got_beats_q <= '0;
    end else begin
      if (r_valid_i) got_q <= (got_q == WordBits'(Words - 1)) ? '0 : got_q + 1'b1;
      if (beat_came) got_beats_q <= answer_last ? '0 : got_beats_q + 5'd1;
      if (merge_came) merged_q <= gathered;
    end
  end

  logic data_full;  // never: room was counted
  logic refused;
  sync_fifo #(
      .Width(BusBytes * 8 + 3),
      .Depth(Room)
  ) u_data (
      .clk_i,
      .rst_ni,
      .push_i(beat_came && answer.purpose == ForRead),
      .data_i({answer.id, answer.refused, answer.last && answer_last, gathered}),
      .full_o(data_full),
      .pop_i(data_pop),
      .data_o({s_rid_o, refused, s_rlast_o, s_rdata_o}),
      .empty_o(data_empty)
  );
  assign s_rresp_o = refused ? RespDecErr : 2'd0;
  assign s_rvalid_o = !data_empty;
  assign data_pop = s_rvalid_o && s_rready_i;

  // The byte's lane is still asked for: the link waits for it.
  assign byte_valid_o = beat_came && answer.purpose == ForByteRead;
  logic [BeatShift-1:0] lane_q;
  always_ff @(posedge clk_i) if (byte_done) lane_q <= byte_address_i[BeatShift-1:0];
  assign byte_data_o = gathered[8*lane_q+:8];

  logic unused;
  assign unused = ^{ar_address, s_awaddr_i[BeatShift-1:0], byte_address_i, data_full, got_q, w_empty};

endmodule
