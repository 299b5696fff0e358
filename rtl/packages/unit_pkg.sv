/// What the units and the control hand each other.
package unit_pkg;

  /// A command, and what its operation code says of it, worked out as it comes.
  typedef struct packed {
    logic        works;  // LOAD, CONV, DEPTHWISE or STORE, not a word that configures one
    logic        other;  // of these DEPTHWISE, of the others a mark
    logic [63:0] word;
  } decoded_t;

  localparam int unsigned DecodedBits = 66;

  /// A decoded_t.
  function automatic logic [DecodedBits-1:0] decoded(logic [63:0] word);
    decoded[65] = word[63:58] == tessera_isa_pkg::OpLoad || word[63:58] == tessera_isa_pkg::OpConv ||
        word[63:58] == tessera_isa_pkg::OpDepthwise || word[63:58] == tessera_isa_pkg::OpStore;
    decoded[64] = word[63:58] == tessera_isa_pkg::OpLdMark || word[63:58] == tessera_isa_pkg::OpCvMark ||
        word[63:58] == tessera_isa_pkg::OpStMark || word[63:58] == tessera_isa_pkg::OpDepthwise;
    decoded[63:0] = word;
  endfunction

  /// Head of a command queue.
  typedef struct packed {
    logic        valid;
    logic        works;
    logic        other;
    logic [63:0] word;
  } command_t;

  /// One bit per direction of dependency tokens.
  typedef struct packed {
    logic store_to_load;
    logic store_to_compute;
    logic compute_to_store;
    logic compute_to_load;
    logic load_to_compute;
  } tokens_t;

  /// Bits of tokens_t; a wrong number is a width error in lint.
  localparam int unsigned Directions = 5;

  typedef struct packed {
    logic        valid;
    logic [ 7:0] cause;
    logic [31:0] info;
  } error_t;

  /// An error_t.
  function automatic logic [40:0] fault(logic [7:0] cause, logic [31:0] info);
    fault = {1'b1, cause, info};
  endfunction

  /// A mark was reached.
  typedef struct packed {
    logic        valid;
    logic [15:0] id;
  } mark_t;

  /// What a unit says of itself.
  typedef struct packed {
    logic   idle;     // nothing queued and nothing under way
    logic   waiting;  // nothing under way and the next command waits for a token
    mark_t  mark;
    error_t error;
  } status_t;

  /// The same of the command front end.
  typedef struct packed {
    logic   ended;    // END was reached
    logic   blocked;  // the head cannot move because its queue is full
    logic   moved;    // a word went into or out of a queue
    error_t error;
  } front_status_t;

  /// What the array did: one of these per cycle at most; none: no convolution for another reason.
  typedef struct packed {
    logic busy;
    logic stall_weights;
    logic stall_bank;
    logic wait_load;
    logic wait_store;
  } activity_t;

  /// The run that the registers ask for.
  typedef struct packed {
    logic        start;           // pulse, a cycle after the units' reset
    logic [31:0] address;
    logic [31:0] bytes;
    logic        check;           // the stream must have the checksum
    logic [31:0] checksum;
  } run_t;

  /// Parameter record {shift, multiplier, bias} of a channel of a kernel group, or of an even one
  /// and the next.
  typedef struct packed {
    logic        we;
    logic        pair;
    logic [ 9:0] group;
    logic [ 6:0] channel;
    logic [71:0] second;
    logic [71:0] first;
  } param_write_t;

  typedef struct packed {
    logic [9:0] group;
    logic [6:0] chunk;
  } param_read_t;

  /// A table's value.
  typedef struct packed {
    logic        we;
    logic [ 8:0] address;
    logic [31:0] data;
  } table_write_t;

endpackage
