/// Types inside the load unit.
package load_pkg;

  /// What becomes of the data of a load that was requested.
  typedef struct packed {
    logic [ 2:0] kind;
    logic [19:0] dest;
    logic [15:0] pixel_bytes;
    logic        post;         // give a token at the end
    logic        fold;
    logic [82:0] details;      // of a load that folds {no padding after a row, none before, its bytes, ld_fold_t but for its first bits};
                               // of parameters their factor
    logic        check;        // it has the checksum
    logic [23:0] checksum;
    logic [31:0] address;
  } transfer_t;

  /// Bits of transfer_t; a wrong number is a width error in lint.
  localparam int unsigned TransferBits = 181;

endpackage
