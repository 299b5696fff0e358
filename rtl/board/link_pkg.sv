/// What the board's end of the host link and the host's agree on; docs/reference/host-link.md has the same in
/// words.
package link_pkg;

  localparam logic [15:0] Version = 16'd1;
  localparam logic [31:0] Magic = 32'h4C52_5354;  // "TSRL"

  /// Most bytes of data in a frame.
  localparam logic [15:0] MostData = 16'd1024;

  /// Framing, as SLIP (RFC 1055) has it.
  localparam logic [7:0] End = 8'hC0;
  localparam logic [7:0] Escape = 8'hDB;
  localparam logic [7:0] EscapedEnd = 8'hDC;
  localparam logic [7:0] EscapedEscape = 8'hDD;

  /// A request: sequence, operation, bytes of data (2), address (4), data, CRC-32 (4).
  localparam int unsigned HeaderBytes = 8;
  localparam int unsigned CrcBytes = 4;

  typedef enum logic [7:0] {
    Info          = 8'd0,
    ReadRegister  = 8'd1,
    WriteRegister = 8'd2,
    ReadMemory    = 8'd3,
    WriteMemory   = 8'd4,
    Reset         = 8'd5
  } operation_t;

  /// A reply: sequence, status, bytes of data (2), data, CRC-32 (4).
  typedef enum logic [7:0] {
    Done       = 8'd0,
    Damaged    = 8'd1,  // the request's CRC is wrong, or it is no whole frame
    BadRequest = 8'd2,  // no such operation, or a length that it does not have
    BadAddress = 8'd3,  // outside the memory, or the accelerator refused the register
    NotReady   = 8'd4   // the memory is still being initialised
  } status_t;

  /// What counts bytes of data in a frame.
  typedef logic [10:0] count_t;

  /// Of a CRC-32 over bytes and their CRC, before the inversion at the end.
  localparam logic [31:0] CrcResidue = 32'hDEBB_20E3;

endpackage
