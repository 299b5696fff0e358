/// What the boot front end and the ROM it reads agree on.
package boot_pkg;

  /// Header of the ROM, in words of 32 bits.
  localparam logic [31:0] Magic = 32'h4D52_5354;  // "TSRM"
  localparam logic [15:0] Format = 16'd1;
  localparam int unsigned WordMagic = 0;
  localparam int unsigned WordFormat = 1;    // format in bits 15:0, words of the header in 31:16
  localparam int unsigned WordChecksum = 3;  // CRC-32 of the words from the next one on
  localparam int unsigned WordHardware = 4;  // atomic_c, atomic_k << 8, bus bytes << 16
  localparam int unsigned WordCbufLimit = 5;
  localparam int unsigned WordWatchdog = 6;
  localparam int unsigned WordRuns = 7;  // runs in bits 15:0; first of a step's in 31:16
  localparam int unsigned FirstRun = 16;
  localparam int unsigned RunWords = 4;  // address, bytes, CRC-32, flags
  /// Flags of a run: the host has work to do before the next one.
  localparam int unsigned FlagStop = 0;

  /// Errors beside those of the accelerator.
  localparam logic [7:0] ErrorHeader = 8'hF1;    // info: the word found
  localparam logic [7:0] ErrorChecksum = 8'hF2;  // info: the header's CRC-32
  localparam logic [7:0] ErrorHardware = 8'hF3;  // info: what the accelerator has
  localparam logic [7:0] ErrorRegister = 8'hF4;  // info: offset of the register that refused

endpackage
