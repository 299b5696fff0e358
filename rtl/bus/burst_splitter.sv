/// Cuts a two-dimensional transfer into AXI bursts: at most 256 beats each, none across a 4 KiB
/// border, each inside one segment. One burst per cycle while `burst_ready_i`.
module burst_splitter #(
    /// Bytes per beat, a power of two.
    parameter int unsigned BusBytes = 8
) (
    input  logic        clk_i,
    /// Synchronous reset, active low: forgets the transfer.
    input  logic        rst_ni,
    /// Starts the transfer described by the next inputs, which must hold while `busy_o`.
    input  logic        start_i,
    input  logic [31:0] address_i,
    input  logic [23:0] segment_bytes_i,
    input  logic [15:0] inner_i,
    input  logic [15:0] outer_i,
    input  logic [27:0] inner_stride_i,
    input  logic [27:0] outer_stride_i,
    output logic        busy_o,
    output logic        burst_valid_o,
    input  logic        burst_ready_i,
    output logic [31:0] burst_address_o,
    /// Bytes of the burst, 1 to 4096.
    output logic [12:0] burst_bytes_o,
    /// Beats minus one, as AxLEN.
    output logic [ 7:0] burst_len_o,
    /// The last burst of the transfer.
    output logic        burst_last_o
);

  localparam int unsigned OffsetBits = $clog2(BusBytes);
  localparam int unsigned MaxBytes = (256 * BusBytes < 4096) ? 256 * BusBytes : 4096;
  localparam int unsigned BorderBits = $clog2(MaxBytes);

  logic busy_q;
  logic [31:0] row_q, segment_q, address_q;
  logic [23:0] left_q;  // of the segment, this burst with it: 2^24 less that
  logic [15:0] inner_q, outer_q;
  logic row_done_q;  // the segment is its row's last

  // MaxBytes is a power of two of at most 4 KiB, so bursts that stop at its multiples obey both rules. Behind a segment's first
  // burst there is nothing but such a multiple. The burst's bytes, and whether it ends its segment, are known from the cycle before.
  logic [BorderBits-1:0] last_q;  // the burst's last byte, counted from its first
  logic segment_done_q;
  logic [7:0] last_beat;
  assign last_beat = 8'((13'(address_q[OffsetBits-1:0]) + 13'(last_q)) >> OffsetBits);

  logic all_done;
  assign all_done = segment_done_q && row_done_q && outer_q == 16'd1;

  assign busy_o = busy_q;
  assign burst_valid_o = busy_q;
  assign burst_address_o = address_q;
  logic [12:0] bytes;
  assign bytes = 13'(last_q) + 13'd1;
  assign burst_bytes_o = bytes;
  assign burst_len_o = last_beat;
  assign burst_last_o = all_done;

  // What comes next is known from registers, not only when it is known that it comes.
  logic starts, advance, moves, segment_next, row_next;
  assign starts = start_i && !busy_q;
  assign advance = busy_q && burst_ready_i;
  assign moves = starts || advance;
  assign segment_next = !busy_q || segment_done_q;
  assign row_next = !busy_q || (segment_done_q && row_done_q);

  // The next segment begins a stride behind this one, the next row behind this one: one adder for both. A burst that does not end
  // its segment ends at a border.
  logic [31:0] base, begins, next_address;
  logic [27:0] stride;
  assign base = row_done_q ? row_q : segment_q;
  assign stride = row_done_q ? outer_stride_i : inner_stride_i;
  loaded_adder #(
      .Width(32)
  ) u_begins (
      .load_i  (!busy_q),
      .value_i (address_i),
      .augend_i(base),
      .addend_i(32'(stride)),
      .sum_o   (begins)
  );
  loaded_adder #(
      .Width(32 - BorderBits)
  ) u_next (
      .load_i  (segment_next),
      .value_i (begins[31:BorderBits]),
      .augend_i(address_q[31:BorderBits]),
      .addend_i((32 - BorderBits)'(1)),
      .sum_o   (next_address[31:BorderBits])
  );
  assign next_address[BorderBits-1:0] = segment_next ? begins[BorderBits-1:0] : '0;
  // What is left is counted up to 2^24: the complement of the count is the last byte, counted from the first. The last one before
  // a border is the complement of where a segment begins.
  logic [23:0] whole, left;
  logic first_is_all, rest_is_all;
  assign whole = -segment_bytes_i;
  loaded_adder #(
      .Width(24)
  ) u_left (
      .load_i  (segment_next),
      .value_i (whole),
      .augend_i(left_q),
      .addend_i(24'(bytes)),
      .sum_o   (left)
  );
  assign first_is_all = (&whole[23:BorderBits]) && begins[BorderBits-1:0] <= whole[BorderBits-1:0];
  assign rest_is_all = &left[23:BorderBits];

  logic [15:0] next_inner, next_outer;
  loaded_adder #(
      .Width(16)
  ) u_inner (
      .load_i  (row_next),
      .value_i (inner_i),
      .augend_i(inner_q),
      .addend_i('1),
      .sum_o   (next_inner)
  );
  loaded_adder #(
      .Width(16)
  ) u_outer (
      .load_i  (!busy_q),
      .value_i (outer_i),
      .augend_i(outer_q),
      .addend_i('1),
      .sum_o   (next_outer)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (starts) busy_q <= 1'b1;
    else if (advance && all_done) busy_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (moves && row_next) begin
      row_q <= begins;
      outer_q <= next_outer;
    end
    if (moves && segment_next) begin
      segment_q <= begins;
      inner_q <= next_inner;
      row_done_q <= row_next ? inner_i == 16'd1 : inner_q == 16'd2;
    end
    if (moves) begin
      address_q <= next_address;
      left_q <= left;
      if (segment_next) last_q <= ~(first_is_all ? whole[BorderBits-1:0] : begins[BorderBits-1:0]);
      else last_q <= rest_is_all ? ~left[BorderBits-1:0] : '1;
      segment_done_q <= segment_next ? first_is_all : rest_is_all;
    end
  end

endmodule
