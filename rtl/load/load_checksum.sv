/// CRC-24 of the beats that a load reads, bytes of them that are not read taken as zero. Compared a
/// cycle after the last beat: what the load gave its token for cannot have gone far.
module load_checksum #(
    parameter int unsigned BusBytes = 8
) (
    input  logic                  clk_i,
    /// Synchronous reset, active low.
    input  logic                  rst_ni,
    /// A beat of a load that has a checksum.
    input  logic                  beat_i,
    input  logic [BusBytes*8-1:0] data_i,
    /// Bytes of the beat that are read.
    input  logic [  BusBytes-1:0] strobe_i,
    input  logic                  last_i,
    input  logic [          23:0] expected_i,
    input  logic [          31:0] address_i,
    /// The load at `address_o` had another checksum.
    output logic                  error_o,
    output logic [          31:0] address_o
);

  logic [BusBytes*8-1:0] mask, read_data;
  for (genvar b = 0; b < BusBytes; b++) begin : gen_mask
    assign mask[8*b+:8] = {8{strobe_i[b]}};
  end
  assign read_data = data_i & mask;

  logic [23:0] crc_q, expected_q;
  logic [31:0] address_q;
  logic compare_q;
  logic [23:0] next;
  crc_next #(
      .Bits(24),
      .DataBits(BusBytes * 8),
      .Polynomial(checksum_pkg::Polynomial24)
  ) u_next (
      .crc_i (compare_q ? 24'hFFFFFF : crc_q),
      .data_i(read_data),
      .crc_o (next)
  );
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      crc_q <= '1;
      compare_q <= 1'b0;
    end else begin
      compare_q <= 1'b0;
      if (compare_q) crc_q <= '1;
      if (beat_i) begin
        crc_q <= next;
        compare_q <= last_i;
        expected_q <= expected_i;
        address_q <= address_i;
      end
    end
  end

  assign error_o = compare_q && crc_q != expected_q;
  assign address_o = address_q;

endmodule
