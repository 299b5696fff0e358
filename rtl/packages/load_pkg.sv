/// Types inside the load unit.
package load_pkg;

  /// What becomes of the data of a load that was requested.
  typedef struct packed {
    logic [ 2:0] kind;
    logic [19:0] dest;
    logic [15:0] unit_bytes;   // a pixel, a table's value, two biases where chunks hold them
    logic        one_chunk;    // which no unit has more of
    logic        compact;      // parameters of 8 bytes
    logic        bias;         // and of 4, which share a factor
    logic        post;         // give a token at the end
    logic        fold;
    logic        coded;
    logic [82:0] details;      // of a load that folds {no padding after a row, none before, its bytes, ld_fold_t but for its first bits};
                               // of parameters their factor, of coded weights {atoms, of a unit, zero}
    logic        check;        // it has the checksum
    logic [23:0] checksum;
    logic [31:0] address;
  } transfer_t;

  /// Of parameter records that share a factor.
  localparam int unsigned BiasBytes = 4;
  /// And of those that are packed.
  localparam int unsigned CompactBytes = 8;

  /// Bits of transfer_t; a wrong number is a width error in lint.
  localparam int unsigned TransferBits = 185;

endpackage
