/// Follows the read data of bursts that were requested in order and gives each beat's first byte
/// and length. Accepts new bursts while `burst_ready_o`.
module burst_reader #(
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
    /// A beat was taken from the bus.
    input  logic                        beat_i,
    output logic [       CountBits-1:0] beat_offset_o,
    output logic [       CountBits-1:0] beat_bytes_o,
    /// The beat is the last one of a burst with `burst_last_i`.
    output logic                        beat_last_o,
    /// No burst is under way.
    output logic                        empty_o
);

  localparam int unsigned OffsetBits = $clog2(BusBytes);

  logic [OffsetBits-1:0] offset;
  logic [12:0] bytes;
  logic last;
  logic full, pop;

  sync_fifo #(
      .Width(OffsetBits + 14),
      .Depth(Outstanding)
  ) u_bursts (
      .clk_i,
      .rst_ni,
      .push_i (burst_valid_i),
      .data_i ({burst_last_i, burst_bytes_i, burst_offset_i}),
      .full_o (full),
      .pop_i  (pop),
      .data_o ({last, bytes, offset}),
      .empty_o(empty_o)
  );

  assign burst_ready_o = !full;

  logic [12:0] left_q;  // 0: at the first beat
  logic [12:0] left, room;

  assign left = (left_q == '0) ? bytes : left_q;
  assign beat_offset_o = (left_q == '0) ? CountBits'(offset) : '0;
  assign room = 13'(BusBytes) - 13'(beat_offset_o);
  assign beat_bytes_o = (left < room) ? CountBits'(left) : CountBits'(room);
  assign pop = beat_i && left <= room;
  assign beat_last_o = last && left <= room;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) left_q <= '0;
    else if (beat_i) left_q <= pop ? '0 : left - 13'(beat_bytes_o);
  end

endmodule
