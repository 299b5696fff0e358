/// Fills write bursts from a byte stream: aligns bytes to beats, sets strobes and the last flag.
module burst_writer #(
    parameter int unsigned BusBytes = 8,
    /// Most bytes per input.
    parameter int unsigned InBytes = 8,
    /// Derived, not to be set.
    parameter int unsigned CountBits = $clog2(InBytes + 1)
) (
    input  logic                        clk_i,
    /// Synchronous reset, active low.
    input  logic                        rst_ni,
    /// Ends bursts under way with beats that write nothing.
    input  logic                        flush_i,
    /// A burst whose address has been queued.
    input  logic                        burst_valid_i,
    output logic                        burst_ready_o,
    input  logic [$clog2(BusBytes)-1:0] burst_offset_i,
    input  logic [                12:0] burst_bytes_i,
    /// Bytes to write.
    input  logic                        in_valid_i,
    output logic                        in_ready_o,
    input  logic [       InBytes*8-1:0] in_data_i,
    input  logic [       CountBits-1:0] in_count_i,
    /// Write data channel.
    output logic                        w_valid_o,
    input  logic                        w_ready_i,
    output logic [      BusBytes*8-1:0] w_data_o,
    output logic [        BusBytes-1:0] w_strb_o,
    output logic                        w_last_o,
    /// No burst waits for data, no beat for the bus.
    output logic                        idle_o,
    /// Bytes are held that no burst has asked for yet.
    output logic                        holding_o
);

  localparam int unsigned HoldBytes = 2 * BusBytes + InBytes;
  localparam int unsigned HoldBits = $clog2(HoldBytes + 1);

  localparam int unsigned BeatBits = $clog2(BusBytes + 1);

  logic [BeatBits-1:0] beat_offset, beat_bytes;
  logic [BusBytes-1:0] beat_strobe;
  logic beat_last, empty, emit, take, slot;

  burst_beats #(
      .BusBytes(BusBytes),
      .Outstanding(4)
  ) u_beats (
      .clk_i,
      .rst_ni,
      .burst_valid_i,
      .burst_ready_o,
      .burst_offset_i,
      .burst_bytes_i,
      .burst_last_i(1'b1),
      .beat_i(emit),
      .beat_offset_o(beat_offset),
      .beat_bytes_o(beat_bytes),
      .beat_strobe_o(beat_strobe),
      .beat_last_o(beat_last),
      .empty_o(empty)
  );

  // The ring that holds them.
  localparam int unsigned Lanes = 1 << $clog2(InBytes > BusBytes ? InBytes : BusBytes);
  localparam int unsigned PlaceBits = $clog2(Lanes) + $clog2((HoldBytes + Lanes - 1) / Lanes);
  logic [PlaceBits-1:0] first_q, free_q;
  logic [HoldBits-1:0] count_q;

  logic w_valid_q, w_last_q;
  logic [BusBytes*8-1:0] w_data_q;
  logic [BusBytes-1:0] w_strb_q;
  assign slot = !w_valid_q || w_ready_i;
  assign emit = !empty && slot && (flush_i || count_q >= HoldBits'(beat_bytes));
  assign in_ready_o = count_q <= HoldBits'(2 * BusBytes);
  assign take = in_valid_i && in_ready_o;

  logic [HoldBits-1:0] filled, exchanged;
  assign filled = flush_i ? HoldBits'(in_count_i) : count_q + HoldBits'(in_count_i);
  assign exchanged = count_q + HoldBits'(in_count_i) - HoldBits'(beat_bytes);

  // A beat's bytes where the bus wants them; those around them are whatever the ring has there.
  logic [BusBytes*8-1:0] beat;
  byte_ring #(
      .Bytes(HoldBytes),
      .InBytes(InBytes),
      .OutBytes(BusBytes)
  ) u_ring (
      .clk_i,
      .write_i(take),
      .in_place_i(free_q),
      .in_data_i,
      .in_offset_i('0),
      .in_bytes_i(in_count_i),
      .out_place_i(first_q - PlaceBits'(beat_offset)),
      .out_data_o(beat)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= '0;
      free_q <= '0;
      count_q <= '0;
      w_valid_q <= 1'b0;
    end else begin
      if (emit || take) begin
        first_q <= flush_i ? free_q : emit ? first_q + PlaceBits'(beat_bytes) : first_q;
        if (take) free_q <= free_q + PlaceBits'(in_count_i);
        // Worked out for both before it is known whether a beat leaves.
        if (take) count_q <= emit ? (flush_i ? HoldBits'(in_count_i) : exchanged) : filled;
        else count_q <= flush_i ? '0 : count_q - HoldBits'(beat_bytes);
      end
      if (slot) w_valid_q <= emit;
    end
  end

  always_ff @(posedge clk_i) begin
    if (emit) begin
      w_data_q <= beat;
      w_strb_q <= flush_i ? '0 : beat_strobe;
      w_last_q <= beat_last;
    end
  end

  assign w_valid_o = w_valid_q;
  assign w_data_o = w_data_q;
  assign w_strb_o = w_strb_q;
  assign w_last_o = w_last_q;
  assign idle_o = empty && !w_valid_q;
  assign holding_o = count_q != '0;

endmodule
