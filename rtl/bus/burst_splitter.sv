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

  logic busy_q;
  logic [31:0] row_q, segment_q, address_q;
  logic [23:0] left_q;
  logic [15:0] inner_q, outer_q;
  logic row_done_q;  // the segment is its row's last

  // MaxBytes is a power of two of at most 4 KiB, so bursts that stop at its multiples obey both rules. Behind a segment's first
  // burst there is nothing but such a multiple.
  logic [12:0] limit_q;
  logic [12:0] bytes;
  logic [7:0] last_beat;
  assign bytes = (left_q < 24'(limit_q)) ? left_q[12:0] : limit_q;
  assign last_beat = 8'((13'(address_q[OffsetBits-1:0]) + bytes - 13'd1) >> OffsetBits);

  function automatic logic [12:0] to_border(input logic [12:0] address);
    to_border = 13'(MaxBytes) - (address & 13'(MaxBytes - 1));
  endfunction

  logic segment_done, all_done;
  assign segment_done = left_q <= 24'(limit_q);
  assign all_done = segment_done && row_done_q && outer_q == 16'd1;

  assign busy_o = busy_q;
  assign burst_valid_o = busy_q;
  assign burst_address_o = address_q;
  assign burst_bytes_o = bytes;
  assign burst_len_o = last_beat;
  assign burst_last_o = all_done;

  // The next segment begins a stride behind this one, the next row behind this one: one adder for both. A burst that does not end
  // its segment ends at a border.
  localparam int unsigned BorderBits = $clog2(MaxBytes);
  logic [31:0] base, next_begin, begins;
  logic [31:BorderBits] next_border;
  logic [27:0] stride;
  assign base = row_done_q ? row_q : segment_q;
  assign stride = row_done_q ? outer_stride_i : inner_stride_i;
  assign next_begin = base + 32'(stride);
  assign begins = busy_q ? next_begin : address_i;
  assign next_border = address_q[31:BorderBits] + 1'b1;

  logic starts, advance, new_segment, new_row;
  assign starts = start_i && !busy_q;
  assign advance = busy_q && burst_ready_i;
  assign new_segment = starts || (advance && segment_done);
  assign new_row = starts || (advance && segment_done && row_done_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (starts) busy_q <= 1'b1;
    else if (advance && all_done) busy_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (new_row) begin
      row_q <= begins;
      inner_q <= inner_i;
      row_done_q <= inner_i == 16'd1;
    end else if (new_segment) begin
      inner_q <= inner_q - 16'd1;
      row_done_q <= inner_q == 16'd2;
    end
    if (starts) outer_q <= outer_i;
    else if (new_row) outer_q <= outer_q - 16'd1;
    if (new_segment) segment_q <= begins;
    if (new_segment || advance) begin
      address_q <= new_segment ? begins : {next_border, BorderBits'(0)};
      limit_q <= new_segment ? to_border(begins[12:0]) : 13'(MaxBytes);
      left_q <= new_segment ? segment_bytes_i : left_q - 24'(limit_q);
    end
  end

endmodule
