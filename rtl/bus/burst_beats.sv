/// Follows the data of bursts that were requested in order and gives each beat's first byte
/// and length. Accepts new bursts while `burst_ready_o`.
module burst_beats #(
    /// Bytes per beat.
    parameter int unsigned BusBytes = 8,
    /// Bursts under way at most, a power of two.
    parameter int unsigned Outstanding = 8,
    /// Derived, not to be set.
    parameter int unsigned CountBits = $clog2(BusBytes + 1)
) (
    input  logic                        clk_i,
    /// Synchronous reset, active low: forgets all bursts.
    input  logic                        rst_ni,
    /// A burst was requested.
    input  logic                        burst_valid_i,
    output logic                        burst_ready_o,
    input  logic [$clog2(BusBytes)-1:0] burst_offset_i,
    input  logic [                12:0] burst_bytes_i,
    input  logic                        burst_last_i,
    /// A beat was taken.
    input  logic                        beat_i,
    output logic [       CountBits-1:0] beat_offset_o,
    output logic [       CountBits-1:0] beat_bytes_o,
    /// Those of the beat's bytes.
    output logic [        BusBytes-1:0] beat_strobe_o,
    /// The beat is the last one of a burst with `burst_last_i`.
    output logic                        beat_last_o,
    /// No burst is under way.
    output logic                        empty_o
);

  localparam int unsigned OffsetBits = $clog2(BusBytes);

  // A burst's first beat is worked out before it is queued, the others one beat ahead.
  typedef struct packed {
    logic last;
    logic single;  // the first beat is all of it
    logic [OffsetBits-1:0] offset;
    logic [CountBits-1:0] first;
    logic [BusBytes-1:0] strobe;
    logic [12:0] others;  // bytes behind the first beat
  } queued_t;

  function automatic logic [BusBytes-1:0] strobe_of(input logic [CountBits-1:0] bytes);
    for (int unsigned b = 0; b < BusBytes; b++) strobe_of[b] = bytes > CountBits'(b);
  endfunction

  queued_t queued, burst;
  logic [CountBits-1:0] room, few;
  logic [CountBits:0] ends;  // in the first beat, if it is all of it
  logic full, pop;
  assign room = CountBits'(BusBytes) - CountBits'(burst_offset_i);
  assign few = burst_bytes_i[CountBits-1:0];
  assign ends = (CountBits + 1)'(burst_offset_i) + (CountBits + 1)'(few);
  always_comb begin
    queued.last = burst_last_i;
    queued.single = burst_bytes_i[12:CountBits] == '0 && few <= room;
    queued.offset = burst_offset_i;
    queued.first = queued.single ? few : room;
    for (int unsigned b = 0; b < BusBytes; b++) begin
      queued.strobe[b] = OffsetBits'(b) >= burst_offset_i && (!queued.single || (CountBits + 1)'(b) < ends);
    end
    queued.others = burst_bytes_i - 13'(room);
  end

  sync_fifo #(
      .Width(OffsetBits + CountBits + BusBytes + 15),
      .Depth(Outstanding)
  ) u_bursts (
      .clk_i,
      .rst_ni,
      .push_i (burst_valid_i),
      .data_i (queued),
      .full_o (full),
      .pop_i  (pop),
      .data_o (burst),
      .empty_o(empty_o)
  );

  assign burst_ready_o = !full;

  logic begun_q, final_q;
  logic [BusBytes-1:0] strobe_q;
  logic [CountBits-1:0] bytes_q;
  logic [12:0] left_q;  // bytes behind the beat
  logic final_beat;
  logic [12:0] left;
  logic [CountBits-1:0] bytes;  // of the next beat

  assign beat_offset_o = begun_q ? '0 : CountBits'(burst.offset);
  assign beat_bytes_o = begun_q ? bytes_q : burst.first;
  assign beat_strobe_o = begun_q ? strobe_q : burst.strobe;
  assign final_beat = begun_q ? final_q : burst.single;
  assign pop = beat_i && final_beat;
  assign beat_last_o = burst.last && final_beat;
  assign left = begun_q ? left_q : burst.others;
  assign bytes = (left <= 13'(BusBytes)) ? CountBits'(left) : CountBits'(BusBytes);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begun_q <= 1'b0;
    else if (beat_i) begun_q <= !final_beat;
  end

  always_ff @(posedge clk_i) begin
    if (beat_i) begin
      final_q <= left <= 13'(BusBytes);
      bytes_q <= bytes;
      strobe_q <= strobe_of(bytes);
      left_q <= left - 13'(BusBytes);
    end
  end

endmodule
