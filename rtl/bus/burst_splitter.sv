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

  logic segment_done, row_done, all_done;
  assign segment_done = left_q <= 24'(limit_q);
  assign row_done = inner_q == 16'd1;
  assign all_done = segment_done && row_done && outer_q == 16'd1;

  assign busy_o = busy_q;
  assign burst_valid_o = busy_q;
  assign burst_address_o = address_q;
  assign burst_bytes_o = bytes;
  assign burst_len_o = last_beat;
  assign burst_last_o = all_done;

  logic [31:0] next_segment, next_row;
  assign next_segment = segment_q + 32'(inner_stride_i);
  assign next_row = row_q + 32'(outer_stride_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else if (start_i && !busy_q) begin
      busy_q <= 1'b1;
      row_q <= address_i;
      segment_q <= address_i;
      address_q <= address_i;
      limit_q <= to_border(address_i[12:0]);
      left_q <= segment_bytes_i;
      inner_q <= inner_i;
      outer_q <= outer_i;
    end else if (busy_q && burst_ready_i) begin
      if (!segment_done) begin
        address_q <= address_q + 32'(bytes);
        limit_q <= 13'(MaxBytes);
        left_q <= left_q - 24'(bytes);
      end else begin
        left_q <= segment_bytes_i;
        if (!row_done) begin
          segment_q <= next_segment;
          address_q <= next_segment;
          limit_q <= to_border(next_segment[12:0]);
          inner_q <= inner_q - 16'd1;
        end else begin
          row_q <= next_row;
          segment_q <= next_row;
          address_q <= next_row;
          limit_q <= to_border(next_row[12:0]);
          inner_q <= inner_i;
          outer_q <= outer_q - 16'd1;
          busy_q <= !all_done;
        end
      end
    end
  end

endmodule
