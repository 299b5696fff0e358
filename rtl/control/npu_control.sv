/// Registers, the beginning and the end of runs, the first error, what is counted.
module npu_control #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    parameter int unsigned CbufBytes = 131072,
    parameter int unsigned AccWords = 512,
    parameter int unsigned ParamGroups = 32,
    parameter int unsigned WindowRows = 2,
    parameter int unsigned WindowCols = 4,
    parameter int unsigned LineAtoms = 128,
    parameter int unsigned FoldBytes = 64,
    parameter int unsigned BusBytes = 8,
    parameter int unsigned CounterBits = 48,
    /// A bit for each feature that is built.
    parameter int unsigned Features = (1 << tessera_isa_pkg::NumFeatures) - 1
) (
    input  logic                     clk_i,
    /// Synchronous reset, active low.
    input  logic                     rst_ni,
    input  bus_pkg::lite_request_t   lite_i,
    output bus_pkg::lite_response_t  lite_o,
    /// Done or error, while enabled.
    output logic                     irq_o,
    /// Of the units, before every run.
    output logic                     unit_rst_no,
    output unit_pkg::run_t           run_o,
    /// Nothing new may start; what is on the bus is brought to its end.
    output logic                     halt_o,
    /// Usable cbuf atoms.
    output logic              [20:0] cbuf_limit_o,
    input  unit_pkg::front_status_t  front_i,
    input  unit_pkg::status_t        load_i,
    input  unit_pkg::status_t        compute_i,
    input  unit_pkg::status_t        store_i,
    input  unit_pkg::tokens_t        overflow_i,
    input  bus_pkg::events_t         bus_i,
    input  unit_pkg::activity_t      activity_i,
    /// Requested by command fetch, loads, stores.
    input  bus_pkg::requested_t      fetch_bytes_i,
    input  bus_pkg::requested_t      load_bytes_i,
    input  bus_pkg::requested_t      store_bytes_i,
    output logic [tessera_isa_pkg::NumCounters-1:0][CounterBits-1:0] counters_o
);

  logic clear, irq_enable, fetch_start, running, busy, done;
  logic [31:0] watchdog;
  logic counter_read;
  logic [3:0] counter_index;
  logic [CounterBits-1:0] counter;
  unit_pkg::run_t wanted;
  unit_pkg::error_t error, first_error;

  register_file #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .CbufBytes(CbufBytes),
      .AccWords(AccWords),
      .ParamGroups(ParamGroups),
      .WindowRows(WindowRows),
      .WindowCols(WindowCols),
      .LineAtoms(LineAtoms),
      .FoldBytes(FoldBytes),
      .BusBytes(BusBytes),
      .Features(Features),
      .CounterBits(CounterBits)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .lite_i,
      .lite_o,
      .clear_o(clear),
      .irq_enable_o(irq_enable),
      .run_o(wanted),
      .cbuf_limit_o,
      .watchdog_o(watchdog),
      .busy_i(busy),
      .done_i(done),
      .error_i(first_error),
      .counter_read_o(counter_read),
      .counter_index_o(counter_index),
      .counter_i(counter)
  );

  run_control u_run (
      .clk_i,
      .rst_ni,
      .run_i(wanted),
      .clear_i(clear),
      .finished_i(front_i.ended && load_i.idle && compute_i.idle && store_i.idle &&
                  !bus_i.outstanding),
      .outstanding_i(bus_i.outstanding),
      .error_i(error),
      .unit_rst_no,
      .fetch_start_o(fetch_start),
      .running_o(running),
      .halt_o,
      .busy_o(busy),
      .done_o(done),
      .error_o(first_error)
  );

  always_comb begin
    run_o = wanted;
    run_o.start = fetch_start;
  end

  assign irq_o = irq_enable && (done || first_error.valid);

  logic deadlock, timeout;

  stall_monitor u_stall_monitor (
      .clk_i,
      .rst_ni(unit_rst_no),
      .running_i(running && !halt_o),
      .idle_i({store_i.idle, compute_i.idle, load_i.idle}),
      .waiting_i({store_i.waiting, compute_i.waiting, load_i.waiting}),
      .front_stuck_i(front_i.ended || front_i.blocked),
      .progress_i(bus_i.read_beat || bus_i.write_beat || activity_i.busy || front_i.moved),
      .watchdog_i(watchdog),
      .deadlock_o(deadlock),
      .timeout_o(timeout)
  );

  run_errors u_errors (
      .clk_i,
      .rst_ni(unit_rst_no),
      .front_i,
      .bus_i,
      .load_i,
      .compute_i,
      .store_i,
      .overflow_i,
      .deadlock_i(deadlock),
      .timeout_i(timeout),
      .error_o(error)
  );

  counter_bank #(
      .Bits(CounterBits),
      .All((Features >> tessera_isa_pkg::FeatureCounters) % 2 == 1)
  ) u_counters (
      .clk_i,
      .rst_ni(rst_ni && !clear),
      .running_i(running),
      .activity_i,
      .fetch_i(fetch_bytes_i),
      .load_i(load_bytes_i),
      .store_i(store_bytes_i),
      .read_beat_i(bus_i.read_beat),
      .write_beat_i(bus_i.write_beat),
      .read_i(counter_read),
      .index_i(counter_index),
      .count_o(counter),
      .counters_o
  );

endmodule
