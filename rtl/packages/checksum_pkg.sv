/// Checksums, lowest bit first. Both start with all ones; the CRC-32 is inverted at the end.
package checksum_pkg;

  localparam logic [31:0] Polynomial32 = 32'hEDB8_8320;  // 0x04C11DB7, IEEE 802.3
  localparam logic [23:0] Polynomial24 = 24'hDF3261;  // 0x864CFB

  function automatic logic [31:0] next_crc32(logic [31:0] crc, logic [31:0] data);
    next_crc32 = crc;
    for (int i = 0; i < 32; i++) begin
      next_crc32 = (next_crc32 >> 1) ^ ((next_crc32[0] ^ data[i]) ? Polynomial32 : '0);
    end
  endfunction

  function automatic logic [23:0] next_crc24(logic [23:0] crc, logic [31:0] data);
    next_crc24 = crc;
    for (int i = 0; i < 32; i++) begin
      next_crc24 = (next_crc24 >> 1) ^ ((next_crc24[0] ^ data[i]) ? Polynomial24 : '0);
    end
  endfunction

endpackage
