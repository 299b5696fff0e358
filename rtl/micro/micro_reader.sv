/// Reads bursts, one at a time, and hands on their bytes, one per cycle.
module micro_reader #(
    parameter int unsigned BusBytes = 4
) (
    input  logic                  clk_i,
    /// Synchronous reset, active low.
    input  logic                  rst_ni,
    /// Where the next burst begins.
    input  logic                  address_we_i,
    input  logic [          31:0] address_i,
    /// Begins a burst of that many bytes, 1 to 256, which does not cross a multiple of 256; when nothing is under way.
    input  logic                  start_i,
    input  logic                  data_i,
    input  logic [           8:0] bytes_i,
    output logic                  idle_o,
    /// Bytes from the address to the next multiple of 256.
    output logic [           8:0] room_o,
    output bus_pkg::burst_t       ar_o,
    /// Not a command.
    output logic                  ar_data_o,
    input  logic                  ar_ready_i,
    input  logic                  r_valid_i,
    output logic                  r_ready_o,
    input  logic [BusBytes*8-1:0] r_data_i,
    output logic                  byte_valid_o,
    output logic [           7:0] byte_o,
    input  logic                  byte_ready_i
);

  localparam int unsigned OffsetBits = $clog2(BusBytes);

  logic [31:0] address_q;
  logic busy_q, requested_q, data_q, held_q;
  logic [8:0] left_q;
  logic [7:0] len_q;
  logic [OffsetBits-1:0] offset_q;
  logic [BusBytes*8-1:0] beat_q;

  logic take, last_of_beat, last;
  assign byte_valid_o = held_q;
  assign byte_o = beat_q[7:0];
  assign take = held_q && byte_ready_i;
  assign last_of_beat = offset_q == '1;
  assign last = left_q == 9'd1;
  assign idle_o = !busy_q;
  assign room_o = 9'd256 - {1'b0, address_q[7:0]};
  assign ar_o = {requested_q, address_q, len_q};
  assign ar_data_o = data_q;
  // Whether the next beat can come does not wait for it.
  logic wants;
  assign wants = busy_q && !requested_q;
  assign r_ready_o = wants && (!held_q || (take && last_of_beat && !last));

  logic beat;
  assign beat = r_valid_i && r_ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      requested_q <= 1'b0;
      held_q <= 1'b0;
    end else begin
      if (start_i) begin
        busy_q <= 1'b1;
        requested_q <= 1'b1;
      end else begin
        if (ar_ready_i) requested_q <= 1'b0;
        if (take && last) busy_q <= 1'b0;
      end
      held_q <= beat || (held_q && !(take && (last || last_of_beat)));
    end
  end

  always_ff @(posedge clk_i) begin
    if (address_we_i) address_q <= address_i;
    left_q <= start_i ? bytes_i : left_q - 9'(take);
    if (start_i) begin
      data_q <= data_i;
      len_q <= 8'((9'(address_q[OffsetBits-1:0]) + bytes_i - 1'b1) >> OffsetBits);
      offset_q <= address_q[OffsetBits-1:0];
    end else if (take) begin
      offset_q <= offset_q + 1'b1;
    end
    if (beat) beat_q <= r_data_i >> {take ? OffsetBits'(0) : offset_q, 3'b000};
    else if (take) beat_q <= beat_q >> 8;
  end

endmodule
