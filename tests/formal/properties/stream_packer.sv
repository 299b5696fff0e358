/// Chunks are the beats' bytes, once, in order, cut as the sizes say and filled up with zeros.
module stream_packer_properties #(
    parameter int unsigned InBytes = 4,
    parameter int unsigned OutBytes = 4
) (
    input logic                 clk_i,
    input logic [          4:0] unit_bytes_i,
    input logic [          3:0] first_bytes_i,
    input logic [          3:0] chunk_bytes_i,
    input logic                 in_valid_i,
    input logic [InBytes*8-1:0] in_data_i,
    input logic [          3:0] in_offset_i,
    input logic [          3:0] in_bytes_i,
    input logic                 in_last_i,
    /// The byte `lane_i` of the beat's is followed through.
    input logic                 follow_i,
    input logic [          2:0] lane_i
);

  localparam int unsigned InCountBits = $clog2(InBytes + 1);
  localparam int unsigned OutCountBits = $clog2(OutBytes + 1);
  logic rst_n, in_ready, out_valid, out_first, out_last, done, ragged;
  logic [OutBytes*8-1:0] chunk;
  logic [OutCountBits-1:0] count;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  stream_packer #(
      .InBytes (InBytes),
      .OutBytes(OutBytes)
  ) u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .unit_bytes_i(16'(unit_bytes_i)),
      .one_chunk_i(unit_bytes_i <= 5'(first_bytes_i)),
      .first_bytes_i(OutCountBits'(first_bytes_i)),
      .chunk_bytes_i(OutCountBits'(chunk_bytes_i)),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_data_i,
      .in_offset_i(InCountBits'(in_offset_i)),
      .in_bytes_i(InCountBits'(in_bytes_i)),
      .in_last_i,
      .out_valid_o(out_valid),
      .out_data_o(chunk),
      .out_count_o(count),
      .out_first_o(out_first),
      .out_last_o(out_last),
      .done_o(done),
      .ragged_o(ragged)
  );

  logic take, under_way_q, ended_q, following_q, sent;
  logic [12:0] sizes_q;
  logic [5:0] held_q, ahead_q;
  logic [4:0] unit_done_q, unit_left, expected;
  logic [7:0] entry_q;
  logic [2:0] patience_q;
  assign take = in_valid_i && in_ready;
  assign sent = out_valid;
  assign unit_left = unit_bytes_i - unit_done_q;
  logic [4:0] most;
  assign most = unit_done_q == '0 ? 5'(first_bytes_i) : 5'(chunk_bytes_i);
  assign expected = unit_left < most ? unit_left : most;

  always_ff @(posedge clk_i) begin
    if (!rst_n || done) begin
      under_way_q <= 1'b0;
      ended_q <= 1'b0;
      held_q <= '0;
      unit_done_q <= '0;
      following_q <= 1'b0;
      patience_q <= '0;
    end else begin
      under_way_q <= under_way_q || take;
      ended_q <= ended_q || (take && in_last_i);
      held_q <= held_q + (take ? 6'(in_bytes_i) : '0) - (sent ? 6'(count) : '0);
      if (sent) unit_done_q <= unit_left == 5'(count) ? '0 : unit_done_q + 5'(count);
      if (following_q) begin
        if (sent) begin
          ahead_q <= ahead_q - 6'(count);
          following_q <= ahead_q >= 6'(count);
        end
      end else if (take && follow_i) begin
        following_q <= 1'b1;
        ahead_q <= held_q - (sent ? 6'(count) : '0) + 6'(lane_i);
        // Around the end.
        entry_q <= 8'({in_data_i, in_data_i} >> {in_offset_i + 4'(lane_i), 3'b000});
      end
      patience_q <= (in_ready || sent) ? '0 : patience_q + 1'b1;
    end
    sizes_q <= {unit_bytes_i, first_bytes_i, chunk_bytes_i};
  end

  logic has_zeros;
  assign has_zeros = (chunk >> {count, 3'b000}) == '0;
  always_comb begin
    assume (unit_bytes_i != '0 && first_bytes_i != '0 && chunk_bytes_i != '0);
    assume (chunk_bytes_i <= OutBytes && first_bytes_i <= chunk_bytes_i);
    assume (in_bytes_i != '0 && in_bytes_i <= InBytes && in_offset_i < InBytes);
    assume (4'(lane_i) < in_bytes_i);
    if (rst_n) begin
      if (under_way_q) assume (sizes_q == {unit_bytes_i, first_bytes_i, chunk_bytes_i});
      if (sent) begin
        chunk_as_the_sizes_say : assert (5'(count) == expected);
        only_bytes_that_came : assert (held_q >= 6'(count));
        first_is_true : assert (out_first == (unit_done_q == '0));
        last_is_true : assert (out_last == (unit_left == expected));
        order_kept : assert (!following_q || ahead_q >= 6'(count) || 8'(chunk >> {ahead_q[3:0], 3'b000}) == entry_q);
        filled_up_with_zeros : assert (has_zeros);
      end
      done_only_at_the_end : assert (!done || ended_q);
      ragged_is_true : assert (!done || ragged == (held_q - (sent ? 6'(count) : '0) != '0 || (sent ? unit_left != 5'(count) : unit_done_q != '0)));
      no_deadlock : assert (patience_q < 3'd4);
    end
  end

endmodule
