/// Bytes reach the bus once, in order, in the beats of the bursts, and as AXI wants them.
module burst_writer_properties #(
    parameter int unsigned BusBytes = 4,
    parameter int unsigned InBytes = 4,
    /// Bursts are brought to their end without writing.
    parameter bit Flush = 0
) (
    input logic                        clk_i,
    input logic                        burst_valid_i,
    input logic [$clog2(BusBytes)-1:0] burst_offset_i,
    input logic [                 4:0] burst_bytes_i,
    input logic                        in_valid_i,
    input logic [       InBytes*8-1:0] in_data_i,
    input logic [$clog2(InBytes+1)-1:0] in_count_i,
    input logic                        w_ready_i,
    input logic                        flush_i,
    /// The byte `lane_i` of what comes in now is followed through.
    input logic                        follow_i,
    input logic [                 2:0] lane_i
);

  logic rst_n, burst_ready, in_ready, w_valid, w_last, idle, holding, flush_q;
  logic [BusBytes*8-1:0] w_data;
  logic [BusBytes-1:0] w_strb;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  burst_writer #(
      .BusBytes(BusBytes),
      .InBytes (InBytes)
  ) u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .flush_i(flush_q),
      .burst_valid_i,
      .burst_ready_o(burst_ready),
      .burst_offset_i,
      .burst_bytes_i(13'(burst_bytes_i)),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_data_i,
      .in_count_i,
      .w_valid_o(w_valid),
      .w_ready_i,
      .w_data_o(w_data),
      .w_strb_o(w_strb),
      .w_last_o(w_last),
      .idle_o(idle),
      .holding_o(holding)
  );

  logic beat, pending, is_final;
  logic [4:0] expected_count;
  logic [BusBytes-1:0] expected_strobe;
  assign beat = w_valid && w_ready_i;
  burst_model #(
      .BusBytes(BusBytes),
      .Depth(8)
  ) u_model (
      .clk_i,
      .rst_ni(rst_n),
      .push_i(burst_valid_i && burst_ready),
      .offset_i(burst_offset_i),
      .bytes_i(burst_bytes_i),
      .last_i(1'b1),
      .beat_i(beat),
      .valid_o(pending),
      .offset_o(),
      .count_o(expected_count),
      .strobe_o(expected_strobe),
      .final_o(is_final),
      .marked_o()
  );

  // Once an error has stopped the unit, it stays stopped.
  always_ff @(posedge clk_i) begin
    if (!rst_n) flush_q <= 1'b0;
    else flush_q <= flush_q || (Flush && flush_i);
  end

  logic [5:0] held_q, ahead_q, written;
  logic following_q, offered_q, take;
  logic [7:0] entry_q, found;
  logic [9*BusBytes:0] offer_q;
  logic [2:0] patience_q;
  assign take = in_valid_i && in_ready;
  assign written = beat ? 6'(expected_count) : '0;
  logic [5:0] place;
  always_comb begin
    place = ahead_q;
    for (int unsigned b = 0; b < BusBytes; b++) begin
      if (!w_strb[b] && 6'(b) <= place) place = place + 1'b1;
    end
    found = 8'(w_data >> {place, 3'b000});
  end

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      held_q <= '0;
      following_q <= 1'b0;
      offered_q <= 1'b0;
      patience_q <= '0;
    end else begin
      held_q <= held_q + (take ? 6'(in_count_i) : '0) - written;
      if (following_q) begin
        if (beat) begin
          ahead_q <= ahead_q - written;
          following_q <= ahead_q >= written;
        end
      end else if (take && follow_i) begin
        following_q <= 1'b1;
        ahead_q <= held_q - written + 6'(lane_i);
        entry_q <= 8'(in_data_i >> {lane_i, 3'b000});
      end
      offered_q <= w_valid && !w_ready_i;
      offer_q <= {w_data, w_strb, w_last};
      if (w_valid || !pending || !(flush_q || held_q >= 6'(expected_count))) patience_q <= '0;
      else patience_q <= patience_q + 1'b1;
    end
  end

  always_comb begin
    assume (burst_bytes_i != '0 && burst_bytes_i <= 5'd12);
    assume (in_count_i <= InBytes);
    assume (lane_i < in_count_i);
    if (rst_n) begin
      only_what_was_asked_for : assert (!w_valid || pending);
      last_is_true : assert (!w_valid || w_last == is_final);
      stable_until_taken : assert (!offered_q || (w_valid && offer_q == {w_data, w_strb, w_last}));
      no_deadlock : assert (patience_q < 3'd3);
      idle_is_true : assert (idle == !pending);
      if (!Flush) begin
        strobe_is_true : assert (!w_valid || w_strb == expected_strobe);
        only_bytes_that_came : assert (!w_valid || held_q >= 6'(expected_count));
        order_kept : assert (!(w_valid && following_q && ahead_q < 6'(expected_count)) || found == entry_q);
        nothing_kept : assert (!holding || held_q != '0);
      end else begin
        writes_nothing_more : assert (!flush_q || !w_valid || offered_q || w_strb == '0 || w_strb == expected_strobe);
      end
    end
  end

endmodule
