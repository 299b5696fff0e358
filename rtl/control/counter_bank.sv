/// What the hardware counts, in the order of the command set. Each counter has its low bits as an adder; the high bits of all
/// lie in one memory, to which one adder carries in turn.
module counter_bank #(
    parameter int unsigned Bits = 48,
    /// Else only the cycles can be read.
    parameter bit All = 1'b1
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
    /// One of them, in the same cycle.
    input  logic          [3:0] index_i,
    output logic     [Bits-1:0] count_o,
    /// All of them, for simulation: where nothing is connected, nothing is built.
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

  // A turn takes 16 cycles, in which no counter runs over twice.
  localparam int unsigned LowBits = 18;
  localparam int unsigned HighBits = Bits - LowBits;
  logic [NumCounters-1:0][LowBits-1:0] low_q;
  logic [NumCounters-1:0] carry_q;  // not in the memory yet
  logic [15:0] written_q;  // high bits that are not zero since the reset
  logic [3:0] turn_q;
  logic [HighBits-1:0] high[16];
  logic [15:0] carries;
  assign carries = 16'(carry_q);
  logic [15:0][LowBits-1:0] lows;
  assign lows = (16 * LowBits)'(low_q);

  logic [NumCounters-1:0][LowBits:0] sum;
  always_comb begin
    for (int unsigned i = 0; i < NumCounters; i++) sum[i] = (LowBits + 1)'(low_q[i]) + (LowBits + 1)'(step[i]);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      low_q <= '0;
      carry_q <= '0;
      written_q <= '0;
      turn_q <= '0;
    end else begin
      turn_q <= turn_q + 4'd1;
      written_q[turn_q] <= 1'b1;
      for (int unsigned i = 0; i < NumCounters; i++) begin
        if (add[i]) low_q[i] <= sum[i][LowBits-1:0];
        carry_q[i] <= (add[i] && sum[i][LowBits]) || (carry_q[i] && turn_q != 4'(i));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    high[turn_q] <= (written_q[turn_q] ? high[turn_q] : '0) + HighBits'(carries[turn_q]);
  end

  if (All) begin : gen_all
    assign count_o = {(written_q[index_i] ? high[index_i] : '0) + HighBits'(carries[index_i]), lows[index_i]};
  end else begin : gen_cycles
    logic [Bits-1:0] cycles_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) cycles_q <= '0;
      else if (running_i) cycles_q <= cycles_q + Bits'(1);
    end
    assign count_o = (index_i == 4'(tessera_isa_pkg::CounterCycles)) ? cycles_q : '0;
    logic unused;
    assign unused = ^{carries, lows};
  end
  for (genvar i = 0; i < NumCounters; i++) begin : gen_counters
    assign counters_o[i] = {(written_q[i] ? high[i] : '0) + HighBits'(carry_q[i]), low_q[i]};
  end

endmodule
