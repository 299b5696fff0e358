/// The error that counts, when several come in one cycle.
module run_errors (
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

  always_comb begin
    error_o = '0;
    if (front_i.error.valid) begin
      error_o = front_i.error;
    end else if (bus_i.read_error || bus_i.write_error) begin
      error_o.valid = 1'b1;
      error_o.cause = bus_i.read_error ? tessera_isa_pkg::ErrorReadBus : tessera_isa_pkg::ErrorWriteBus;
      error_o.info = bus_i.read_error ? {23'd0, !bus_i.read_of_load, 6'd0, bus_i.read_resp} :
          {30'd0, bus_i.write_resp};
    end else if (load_i.error.valid) begin
      error_o = load_i.error;
    end else if (compute_i.error.valid) begin
      error_o = compute_i.error;
    end else if (store_i.error.valid) begin
      error_o = store_i.error;
    end else if (overflow_i != '0) begin
      error_o.valid = 1'b1;
      error_o.cause = tessera_isa_pkg::ErrorTokenOverflow;
      error_o.info  = 32'(overflow_i);
    end else if (deadlock_i) begin
      error_o.valid = 1'b1;
      error_o.cause = tessera_isa_pkg::ErrorDeadlock;
      error_o.info  = {29'd0, store_i.waiting, compute_i.waiting, load_i.waiting};
    end else if (timeout_i) begin
      error_o.valid = 1'b1;
      error_o.cause = tessera_isa_pkg::ErrorWatchdog;
      error_o.info  = {29'd0, !store_i.idle, !compute_i.idle, !load_i.idle};
    end
  end

endmodule
