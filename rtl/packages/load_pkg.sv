/// Types inside the load unit.
package load_pkg;

  /// What becomes of the data of a load that was requested.
  typedef struct packed {
    logic [ 2:0] kind;
    logic [19:0] dest;
    logic [15:0] pixel_bytes;
    logic        post;         // give a token at the end
    logic        fold;
    logic [56:0] fold_word;    // ld_fold_t but for its first bits
    logic [23:0] row_bytes;
    logic [36:0] factor;
    logic        check;        // it has the checksum
    logic [23:0] checksum;
    logic [31:0] address;
  } transfer_t;

  /// Bits of transfer_t; a wrong number is a width error in lint.
  localparam int unsigned TransferBits = 216;

endpackage
