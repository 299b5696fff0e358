/// What the hardware counts, in the order of the command set.
module counter_bank #(
    parameter int unsigned Bits = 48
) (
    input  logic                clk_i,
    /// Synchronous reset, active low: all are zero.
    input  logic                rst_ni,
    input  logic                running_i,
    input  unit_pkg::activity_t activity_i,
    input  bus_pkg::requested_t fetch_i,
    input  bus_pkg::requested_t load_i,
    input  bus_pkg::requested_t store_i,
    input  logic                read_beat_i,
    input  logic                write_beat_i,
    output logic [tessera_isa_pkg::NumCounters-1:0][Bits-1:0] counters_o
);

  localparam int unsigned NumCounters = tessera_isa_pkg::NumCounters;

  logic [NumCounters-1:0] add;
  logic [NumCounters-1:0][12:0] step;
  logic load_feature, load_weight, load_param;
  assign load_feature = load_i.valid &&
      (load_i.kind == tessera_isa_pkg::LoadKindFeature ||
       load_i.kind == tessera_isa_pkg::LoadKindOperand);
  assign load_weight = load_i.valid && load_i.kind == tessera_isa_pkg::LoadKindWeight;
  assign load_param = load_i.valid &&
      (load_i.kind == tessera_isa_pkg::LoadKindParam ||
       load_i.kind == tessera_isa_pkg::LoadKindTable);

  always_comb begin
    add = '0;
    step = {NumCounters{13'd1}};
    add[tessera_isa_pkg::CounterCycles] = running_i;
    add[tessera_isa_pkg::CounterArrayBusy] = running_i && activity_i.busy;
    add[tessera_isa_pkg::CounterStallWeights] = running_i && activity_i.stall_weights;
    add[tessera_isa_pkg::CounterStallBank] = running_i && activity_i.stall_bank;
    add[tessera_isa_pkg::CounterWaitLoad] = running_i && activity_i.wait_load;
    add[tessera_isa_pkg::CounterWaitStore] = running_i && activity_i.wait_store;
    add[tessera_isa_pkg::CounterComputeOther] = running_i && activity_i == '0;
    add[tessera_isa_pkg::CounterReadCommandBytes] = fetch_i.valid;
    step[tessera_isa_pkg::CounterReadCommandBytes] = fetch_i.bytes;
    add[tessera_isa_pkg::CounterReadFeatureBytes] = load_feature;
    step[tessera_isa_pkg::CounterReadFeatureBytes] = load_i.bytes;
    add[tessera_isa_pkg::CounterReadWeightBytes] = load_weight;
    step[tessera_isa_pkg::CounterReadWeightBytes] = load_i.bytes;
    add[tessera_isa_pkg::CounterReadParamBytes] = load_param;
    step[tessera_isa_pkg::CounterReadParamBytes] = load_i.bytes;
    add[tessera_isa_pkg::CounterWriteBytes] = store_i.valid;
    step[tessera_isa_pkg::CounterWriteBytes] = store_i.bytes;
    add[tessera_isa_pkg::CounterReadBeats] = read_beat_i;
    add[tessera_isa_pkg::CounterWriteBeats] = write_beat_i;
  end

  for (genvar i = 0; i < NumCounters; i++) begin : gen_counters
    perf_counter #(
        .Bits(Bits),
        .StepBits(13)
    ) u_counter (
        .clk_i,
        .rst_ni,
        .add_i(add[i]),
        .step_i(step[i]),
        .count_o(counters_o[i])
    );
  end

endmodule
