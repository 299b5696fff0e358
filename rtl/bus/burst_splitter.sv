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
  logic [BorderBits-1:0] row_room_q, segment_room_q;  // from there to a border, modulo its distance
  logic [23:0] left_q;
  logic [15:0] inner_q, outer_q;
  logic row_done_q;  // the segment is its row's last

  // MaxBytes is a power of two of at most 4 KiB, so bursts that stop at its multiples obey both rules. Behind a segment's first
  // burst there is nothing but such a multiple. The burst's bytes, and whether it ends its segment, are known from the cycle before.
  logic [12:0] bytes_q;
  logic segment_done_q;
  logic [7:0] last_beat;
  assign last_beat = 8'((13'(address_q[OffsetBits-1:0]) + bytes_q - 13'd1) >> OffsetBits);

  logic all_done;
  assign all_done = segment_done_q && row_done_q && outer_q == 16'd1;

  assign busy_o = busy_q;
  assign burst_valid_o = busy_q;
  assign burst_address_o = address_q;
  assign burst_bytes_o = bytes_q;
  assign burst_len_o = last_beat;
  assign burst_last_o = all_done;

  // The next segment begins a stride behind this one, the next row behind this one: one adder for both. A burst that does not end
  // its segment ends at a border.
  logic [31:0] base, next_begin, begins;
  logic [31:BorderBits] next_border;
  logic [27:0] stride;
  assign base = row_done_q ? row_q : segment_q;
  assign stride = row_done_q ? outer_stride_i : inner_stride_i;
  assign next_begin = base + 32'(stride);
  assign begins = busy_q ? next_begin : address_i;
  assign next_border = address_q[31:BorderBits] + 1'b1;
  // From where it begins to a border, of the same operands.
  logic [BorderBits-1:0] old_room, room;
  logic [12:0] first_limit;
  logic [23:0] rest, last_byte;
  logic first_is_all, rest_is_over, rest_is_all;
  assign old_room = !busy_q ? '0 : row_done_q ? row_room_q : segment_room_q;
  assign room = old_room - (busy_q ? stride[BorderBits-1:0] : address_i[BorderBits-1:0]);
  assign first_limit = (room == '0) ? 13'(MaxBytes) : 13'(room);
  assign last_byte = segment_bytes_i - 24'd1;
  assign first_is_all = last_byte[23:BorderBits] == '0 && (room == '0 || last_byte[BorderBits-1:0] < room);
  assign rest = left_q - 24'(bytes_q);
  assign rest_is_over = rest[23:BorderBits] != '0;
  assign rest_is_all = !rest_is_over || rest == 24'(MaxBytes);

  // What comes next is known from registers, not only when it is known that it comes.
  logic starts, advance, moves, segment_next, row_next;
  assign starts = start_i && !busy_q;
  assign advance = busy_q && burst_ready_i;
  assign moves = starts || advance;
  assign segment_next = !busy_q || segment_done_q;
  assign row_next = !busy_q || (segment_done_q && row_done_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (starts) busy_q <= 1'b1;
    else if (advance && all_done) busy_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (moves && row_next) begin
      row_q <= begins;
      row_room_q <= room;
      outer_q <= busy_q ? outer_q - 16'd1 : outer_i;
    end
    if (moves && segment_next) begin
      segment_q <= begins;
      segment_room_q <= room;
      inner_q <= row_next ? inner_i : inner_q - 16'd1;
      row_done_q <= row_next ? inner_i == 16'd1 : inner_q == 16'd2;
    end
    if (moves) begin
      address_q <= segment_next ? begins : {next_border, BorderBits'(0)};
      left_q <= segment_next ? segment_bytes_i : rest;
      if (segment_next) bytes_q <= first_is_all ? segment_bytes_i[12:0] : first_limit;
      else bytes_q <= rest_is_over ? 13'(MaxBytes) : rest[12:0];
      segment_done_q <= segment_next ? first_is_all : rest_is_all;
    end
  end

endmodule
