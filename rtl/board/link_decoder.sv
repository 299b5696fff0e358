/// Frames from bytes: escapes undone, header and data apart, the CRC checked. Holds one frame; what
/// comes before it is released is lost, which the sender notices.
module link_decoder (
    input  logic        clk_i,
    /// Synchronous reset, active low.
    input  logic        rst_ni,
    /// At most every tenth cycle: a serial line is slower than that.
    input  logic        valid_i,
    input  logic [ 7:0] data_i,
    /// A frame is there, right or damaged, until it is released.
    output logic        frame_o,
    input  logic        release_i,
    output logic        damaged_o,
    output logic [ 7:0] sequence_o,
    output logic [ 7:0] operation_o,
    output logic [15:0] length_o,
    output logic [31:0] address_o,
    /// Bytes of data that came, CRC not among them; of a frame that is not damaged.
    output link_pkg::count_t bytes_o,
    /// The data, a cycle after its index.
    input  logic [ 9:0] index_i,
    output logic [ 7:0] byte_o
);

  localparam int unsigned Most = link_pkg::HeaderBytes + 32'(link_pkg::MostData) + link_pkg::CrcBytes;
  localparam int unsigned Least = link_pkg::HeaderBytes + link_pkg::CrcBytes;

  logic frame_q, escaped_q, broken_q, skip_q;
  logic [10:0] count_q;
  logic [7:0][7:0] header_q;

  logic is_end, is_escape, take;
  logic [7:0] value;
  assign is_end = data_i == link_pkg::End;
  assign is_escape = data_i == link_pkg::Escape && !escaped_q;
  assign value = !escaped_q ? data_i :
      (data_i == link_pkg::EscapedEnd) ? link_pkg::End : link_pkg::Escape;
  assign take = valid_i && !frame_q && !skip_q && !is_end && !is_escape;

  logic crc_busy;
  logic [31:0] crc;
  serial_crc u_crc (
      .clk_i,
      .clear_i(!rst_ni || release_i),
      .valid_i(take),
      .data_i (value),
      .busy_o (crc_busy),
      .crc_o  (crc)
  );

  // Data lies from its own begin on: the header is in registers.
  logic [10:0] place;
  assign place = count_q - 11'(link_pkg::HeaderBytes);

  ram_1r1w #(
      .Width(8),
      .Depth(32'(link_pkg::MostData))
  ) u_data (
      .clk_i,
      .we_i(take && !place[10]),
      .waddr_i(place[9:0]),
      .wdata_i(value),
      .re_i(1'b1),
      .raddr_i(index_i),
      .rdata_o(byte_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      frame_q <= 1'b0;
      skip_q <= 1'b0;
      count_q <= '0;
      escaped_q <= 1'b0;
      broken_q <= 1'b0;
    end else begin
      if (release_i) begin
        frame_q <= 1'b0;
        count_q <= '0;
          broken_q <= 1'b0;
        escaped_q <= 1'b0;
      end
      if (valid_i && frame_q) begin
        // The rest of what is being sent now has no begin any more.
        skip_q <= !is_end;
      end else if (valid_i && is_end) begin
        skip_q  <= 1'b0;
        frame_q <= !skip_q && count_q != '0;
      end
      if (valid_i && !frame_q && is_escape) escaped_q <= 1'b1;
      if (take) begin
        escaped_q <= 1'b0;
        if (escaped_q && data_i != link_pkg::EscapedEnd && data_i != link_pkg::EscapedEscape) begin
          broken_q <= 1'b1;
        end
        if (count_q < 11'(link_pkg::HeaderBytes)) header_q[count_q[2:0]] <= value;
        if (count_q == 11'(Most)) broken_q <= 1'b1;
        else count_q <= count_q + 11'd1;
      end
    end
  end

  assign frame_o = frame_q;
  assign damaged_o = broken_q || escaped_q || count_q < 11'(Least) ||
      crc != link_pkg::CrcResidue;
  assign sequence_o = header_q[0];
  assign operation_o = header_q[1];
  assign length_o = {header_q[3], header_q[2]};
  assign address_o = {header_q[7], header_q[6], header_q[5], header_q[4]};
  assign bytes_o = count_q - 11'(Least);

  logic unused;
  assign unused = crc_busy;  // over when the frame ends

endmodule
