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

  unit_pkg::error_t front_q, load_q, compute_q, store_q;
  bus_pkg::errors_t bus_q;
  unit_pkg::tokens_t overflow_q;
  always_ff @(posedge clk_i) begin
    front_q <= front_i.error;
    bus_q <= bus_i.errors;
    load_q <= load_i.error;
    compute_q <= compute_i.error;
    store_q <= store_i.error;
    overflow_q <= overflow_i;
    if (!rst_ni) begin
      front_q.valid <= 1'b0;
      bus_q.read <= 1'b0;
      bus_q.write <= 1'b0;
      load_q.valid <= 1'b0;
      compute_q.valid <= 1'b0;
      store_q.valid <= 1'b0;
      overflow_q <= '0;
    end
  end

  // What is said without an error means nothing.
  assign error_o.valid = front_q.valid || bus_q.read || bus_q.write || load_q.valid || compute_q.valid || store_q.valid ||
      overflow_q != '0 || deadlock_i || timeout_i;
  always_comb begin
    if (front_q.valid) begin
      error_o.cause = front_q.cause;
      error_o.info = front_q.info;
    end else if (bus_q.read || bus_q.write) begin
      error_o.cause = bus_q.read ? tessera_isa_pkg::ErrorReadBus : tessera_isa_pkg::ErrorWriteBus;
      error_o.info = bus_q.read ? {23'd0, !bus_q.read_of_load, 6'd0, bus_q.read_resp} :
          {30'd0, bus_q.write_resp};
    end else if (load_q.valid) begin
      error_o.cause = load_q.cause;
      error_o.info = load_q.info;
    end else if (compute_q.valid) begin
      error_o.cause = compute_q.cause;
      error_o.info = compute_q.info;
    end else if (store_q.valid) begin
      error_o.cause = store_q.cause;
      error_o.info = store_q.info;
    end else if (overflow_q != '0) begin
      error_o.cause = tessera_isa_pkg::ErrorTokenOverflow;
      error_o.info = 32'(overflow_q);
    end else if (deadlock_i) begin
      error_o.cause = tessera_isa_pkg::ErrorDeadlock;
      error_o.info = {29'd0, store_i.waiting, compute_i.waiting, load_i.waiting};
    end else begin
      error_o.cause = tessera_isa_pkg::ErrorWatchdog;
      error_o.info = {29'd0, !store_i.idle, !compute_i.idle, !load_i.idle};
    end
  end

endmodule
