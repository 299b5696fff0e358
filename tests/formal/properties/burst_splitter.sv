/// The bursts are the transfer, byte for byte, and AXI's.
module burst_splitter_properties #(
    parameter int unsigned BusBytes = 8,
    /// Registers are looked at.
    parameter bit Follows = 1'b1
) (
    input logic        clk_i,
    input logic        start_i,
    input logic [31:0] address_i,
    input logic [23:0] segment_bytes_i,
    input logic [15:0] inner_i,
    input logic [15:0] outer_i,
    input logic [27:0] inner_stride_i,
    input logic [27:0] outer_stride_i,
    input logic        burst_ready_i
);

  localparam int unsigned Most = (256 * BusBytes < 4096) ? 256 * BusBytes : 4096;

  logic rst_n, busy, valid, last;
  logic [31:0] address;
  logic [12:0] bytes;
  logic [ 7:0] len;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  burst_splitter #(
      .BusBytes(BusBytes)
  ) u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .start_i,
      .address_i,
      .segment_bytes_i,
      .inner_i,
      .outer_i,
      .inner_stride_i,
      .outer_stride_i,
      .busy_o(busy),
      .burst_valid_o(valid),
      .burst_ready_i,
      .burst_address_o(address),
      .burst_bytes_o(bytes),
      .burst_len_o(len),
      .burst_last_o(last)
  );

  // What holds while a transfer is under way.
  logic [103:0] shape_q;
  logic started_q;
  always_comb begin
    assume (segment_bytes_i != '0 && inner_i != '0 && outer_i != '0);
    if (rst_n && started_q && busy)
      assume (shape_q == {segment_bytes_i, inner_i, outer_i, inner_stride_i, outer_stride_i[19:0]});
    assume (outer_stride_i[27:20] == '0);
  end

  // Where the transfer is.
  logic [31:0] row_q, segment_q;
  logic [23:0] done_q;
  logic [15:0] x_q, y_q;
  logic offered_q;
  logic [53:0] offer_q;
  logic [31:0] next;
  logic ends_segment, ends_row;
  assign next = segment_q + 32'(done_q);
  assign ends_segment = done_q + 24'(bytes) == segment_bytes_i;
  assign ends_row = x_q == inner_i - 1'b1;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      started_q <= 1'b0;
      offered_q <= 1'b0;
    end else begin
      if (start_i && !busy) begin
        started_q <= 1'b1;
        shape_q <= {segment_bytes_i, inner_i, outer_i, inner_stride_i, outer_stride_i[19:0]};
        row_q <= address_i;
        segment_q <= address_i;
        done_q <= '0;
        x_q <= '0;
        y_q <= '0;
      end else if (valid && burst_ready_i) begin
        done_q <= done_q + 24'(bytes);
        if (ends_segment) begin
          done_q <= '0;
          x_q <= ends_row ? '0 : x_q + 1'b1;
          segment_q <= ends_row ? row_q + 32'(outer_stride_i) : segment_q + 32'(inner_stride_i);
          if (ends_row) begin
            row_q <= row_q + 32'(outer_stride_i);
            y_q <= y_q + 1'b1;
            if (last) started_q <= 1'b0;
          end
        end
      end
      offered_q <= valid && !burst_ready_i;
      offer_q <= {address, bytes, len, last};
    end
  end

  // What the registers hold: with this, a burst leads to the next for any number of them.
  (* keep *) logic [31:0] row_q_seen, segment_q_seen, address_q_seen;
  (* keep *) logic [23:0] left_q_seen;
  (* keep *) logic [15:0] inner_q_seen, outer_q_seen;
  (* keep *) logic [$clog2(Most)-1:0] last_q_seen;
  (* keep *) logic row_done_q_seen, segment_done_q_seen;
  logic to_border, follow;
  assign to_border = ((address + 32'(bytes)) & (Most - 1)) == '0;
  assign follow = row_q_seen == row_q && segment_q_seen == segment_q && address_q_seen == next && left_q_seen == done_q - segment_bytes_i &&
      inner_q_seen == inner_i - x_q && outer_q_seen == outer_i - y_q && row_done_q_seen == ends_row && segment_done_q_seen == ends_segment &&
      bytes == 13'(last_q_seen) + 13'd1 && done_q < segment_bytes_i && x_q < inner_i && y_q < outer_i && (ends_segment || to_border) &&
      (address & (Most - 1)) + 32'(bytes) <= Most && 24'(bytes) <= segment_bytes_i - done_q;

  logic [13:0] in_beat;
  assign in_beat = 14'(address & (BusBytes - 1)) + 14'(bytes);
  always_comb begin
    if (rst_n && valid) begin
      registers_follow : assert (!Follows || follow);
      something : assert (started_q && busy && bytes != '0);
      next_bytes_of_the_transfer : assert (address == next);
      inside_the_segment : assert (24'(bytes) <= segment_bytes_i - done_q);
      inside_4_kib : assert (14'(address[11:0]) + 14'(bytes) <= 14'd4096);
      at_most_256_beats : assert (bytes <= 13'(Most));
      len_is_beats_less_one : assert (14'(len) == (in_beat - 1'b1) / BusBytes);
      last_is_true : assert (last == (ends_segment && ends_row && y_q == outer_i - 1'b1));
    end
    if (rst_n) begin
      stable_until_taken : assert (!offered_q || (valid && offer_q == {address, bytes, len, last}));
      no_deadlock : assert (valid == started_q);
    end
  end

endmodule
