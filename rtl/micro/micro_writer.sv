/// Writes bytes to external memory, a beat at a time, as soon as a beat or the segment has all of its bytes.
module micro_writer #(
    parameter int unsigned BusBytes = 4
) (
    input  logic                  clk_i,
    /// Synchronous reset, active low.
    input  logic                  rst_ni,
    /// Where a segment begins, and its bytes.
    input  logic                  address_we_i,
    input  logic                  bytes_we_i,
    input  logic [          31:0] value_i,
    /// The segment has all of its bytes.
    output logic                  ended_o,
    input  logic                  byte_valid_i,
    output logic                  byte_ready_o,
    input  logic [           7:0] byte_i,
    /// Every write is acknowledged.
    output logic                  idle_o,
    output bus_pkg::burst_t       aw_o,
    input  logic                  aw_ready_i,
    output logic                  w_valid_o,
    input  logic                  w_ready_i,
    output logic [BusBytes*8-1:0] w_data_o,
    output logic [  BusBytes-1:0] w_strb_o,
    input  logic                  b_valid_i,
    output logic                  b_ready_o
);

  localparam int unsigned OffsetBits = $clog2(BusBytes);
  localparam int unsigned Most = 15;  // writes without an answer

  logic [31:0] address_q;
  logic [31:OffsetBits] beat_q;
  logic [23:0] left_q;
  logic aw_q, w_q, ended_q;
  logic [3:0] waiting_q;
  logic [BusBytes*8-1:0] data_q;
  logic [BusBytes-1:0] strobe_q;
  logic fresh_q;  // the beat has no byte yet

  logic take, last;
  logic [OffsetBits-1:0] offset;
  assign offset = address_q[OffsetBits-1:0];
  assign ended_o = ended_q;
  assign byte_ready_o = !aw_q && !w_q && waiting_q != 4'(Most);
  assign take = byte_valid_i && byte_ready_o;
  assign last = offset == '1 || left_q == 24'd1;

  assign aw_o = {aw_q, beat_q, OffsetBits'(0), 8'd0};
  assign w_valid_o = w_q;
  assign w_data_o = data_q;
  assign w_strb_o = strobe_q;
  assign b_ready_o = 1'b1;
  assign idle_o = waiting_q == '0 && !aw_q && !w_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_q <= 1'b0;
      w_q <= 1'b0;
      waiting_q <= '0;
      fresh_q <= 1'b1;
    end else begin
      if (take && last) begin
        aw_q <= 1'b1;
        w_q <= 1'b1;
      end else begin
        if (aw_ready_i) aw_q <= 1'b0;
        if (w_ready_i) w_q <= 1'b0;
      end
      waiting_q <= waiting_q + 4'(take && last) - 4'(b_valid_i);
      if (take) fresh_q <= last;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      for (int unsigned i = 0; i < BusBytes; i++) begin
        if (offset == OffsetBits'(i)) data_q[8*i+:8] <= byte_i;
        strobe_q[i] <= offset == OffsetBits'(i) || (!fresh_q && strobe_q[i]);
      end
      beat_q <= address_q[31:OffsetBits];
    end
    if (address_we_i) address_q <= value_i;
    else if (take) address_q <= address_q + 1'b1;
    if (bytes_we_i) ended_q <= 1'b0;
    else if (take && left_q == 24'd1) ended_q <= 1'b1;
    if (bytes_we_i) left_q <= value_i[23:0];
    else if (take) left_q <= left_q - 1'b1;
  end

endmodule
