/// Checksums, lowest bit first. Both start with all ones; the CRC-32 is inverted at the end.
package checksum_pkg;

  localparam logic [31:0] Polynomial32 = 32'hEDB8_8320;  // 0x04C11DB7, IEEE 802.3
  localparam logic [23:0] Polynomial24 = 24'hDF3261;  // 0x864CFB

endpackage
