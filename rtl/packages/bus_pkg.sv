/// What travels on the buses, without the data whose width is a parameter.
package bus_pkg;

  /// AXI4-Lite, from the master.
  typedef struct packed {
    logic        awvalid;
    logic [11:0] awaddr;
    logic        wvalid;
    logic [31:0] wdata;
    logic [ 3:0] wstrb;
    logic        bready;
    logic        arvalid;
    logic [11:0] araddr;
    logic        rready;
  } lite_request_t;

  /// AXI4-Lite, from the slave.
  typedef struct packed {
    logic        awready;
    logic        wready;
    logic        bvalid;
    logic [ 1:0] bresp;
    logic        arready;
    logic        rvalid;
    logic [31:0] rdata;
    logic [ 1:0] rresp;
  } lite_response_t;

  /// The address of a burst of full-width beats.
  typedef struct packed {
    logic        valid;
    logic [31:0] address;
    logic [ 7:0] len;      // beats less one
  } burst_t;

  /// Bytes requested this cycle, for the counters.
  typedef struct packed {
    logic        valid;
    logic [ 2:0] kind;   // of a load
    logic [12:0] bytes;
  } requested_t;

  /// Responses other than OKAY.
  typedef struct packed {
    logic       read;
    logic       read_of_load;  // not of the command fetch
    logic [1:0] read_resp;
    logic       write;
    logic [1:0] write_resp;
  } errors_t;

  /// What moved on the data bus this cycle.
  typedef struct packed {
    logic    read_beat;
    logic    write_beat;
    errors_t errors;
    logic    outstanding;  // transactions under way
  } events_t;

endpackage
