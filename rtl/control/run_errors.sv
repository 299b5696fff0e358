/// The error that counts, when several come in one cycle. It is known a cycle after what it comes from: nothing that runs
/// waits for all that can go wrong.
module run_errors (
    input  logic                    clk_i,
    /// Synchronous reset, active low: forgets what was seen.
    input  logic                    rst_ni,
    input  unit_pkg::front_status_t front_i,
    input  bus_pkg::events_t        bus_i,
    input  unit_pkg::status_t       load_i,
    input  unit_pkg::status_t       compute_i,
    input  unit_pkg::status_t       store_i,
    input  unit_pkg::tokens_t       overflow_i,
    input  logic                    deadlock_i,
    input  logic                    timeout_i,
    output unit_pkg::error_t        error_o
);

  // The first one in this order that there is: all others are zero then, so that nothing chooses between them.
  unit_pkg::error_t front_q, bus_q, load_q, compute_q, store_q, overflow_q, bus, overflow, stall, seen;
  logic bus_first, load_first, compute_first, store_first, overflow_first;
  assign bus_first = !front_i.error.valid;
  assign load_first = bus_first && !bus.valid;
  assign compute_first = load_first && !load_i.error.valid;
  assign store_first = compute_first && !compute_i.error.valid;
  assign overflow_first = store_first && !store_i.error.valid;

  always_comb begin
    bus.valid = bus_i.errors.read || bus_i.errors.write;
    bus.cause = bus_i.errors.read ? tessera_isa_pkg::ErrorReadBus : tessera_isa_pkg::ErrorWriteBus;
    bus.info = bus_i.errors.read ? {23'd0, !bus_i.errors.read_of_load, 6'd0, bus_i.errors.read_resp} :
        {30'd0, bus_i.errors.write_resp};
    overflow.valid = overflow_i != '0;
    overflow.cause = tessera_isa_pkg::ErrorTokenOverflow;
    overflow.info = 32'(overflow_i);
    stall.valid = deadlock_i || timeout_i;
    stall.cause = deadlock_i ? tessera_isa_pkg::ErrorDeadlock : tessera_isa_pkg::ErrorWatchdog;
    stall.info = deadlock_i ? {29'd0, store_i.waiting, compute_i.waiting, load_i.waiting} :
        {29'd0, !store_i.idle, !compute_i.idle, !load_i.idle};
  end

  always_ff @(posedge clk_i) begin
    front_q <= (rst_ni && front_i.error.valid) ? front_i.error : '0;
    bus_q <= (rst_ni && bus_first && bus.valid) ? bus : '0;
    load_q <= (rst_ni && load_first && load_i.error.valid) ? load_i.error : '0;
    compute_q <= (rst_ni && compute_first && compute_i.error.valid) ? compute_i.error : '0;
    store_q <= (rst_ni && store_first && store_i.error.valid) ? store_i.error : '0;
    overflow_q <= (rst_ni && overflow_first && overflow.valid) ? overflow : '0;
  end

  // What is said without an error means nothing.
  assign seen = front_q | bus_q | load_q | compute_q | store_q | overflow_q;
  assign error_o = seen | (seen.valid ? '0 : stall);

endmodule
