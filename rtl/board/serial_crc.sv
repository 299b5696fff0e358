/// CRC-32 of bytes, a bit per cycle: bytes of a serial line have the time.
module serial_crc (
    input  logic        clk_i,
    /// Begins anew; not together with a byte.
    input  logic        clear_i,
    /// The next byte, when not busy.
    input  logic        valid_i,
    input  logic [ 7:0] data_i,
    /// The sum changes still.
    output logic        busy_o,
    /// Of all bytes since the begin, before the inversion at the end.
    output logic [31:0] crc_o
);

  logic [31:0] crc_q;
  logic [7:0] data_q;
  logic [3:0] left_q = '0;  // bits

  assign busy_o = left_q != '0;
  assign crc_o  = crc_q;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      data_q <= data_i;
      left_q <= 4'd8;
    end else if (busy_o) begin
      data_q <= data_q >> 1;
      left_q <= left_q - 4'd1;
    end
    if (clear_i) crc_q <= '1;
    else if (busy_o) begin
      crc_q <= (crc_q >> 1) ^ ((crc_q[0] ^ data_q[0]) ? checksum_pkg::Polynomial32 : '0);
    end
  end

endmodule
