/// What the hardware counts, in the order of the command set. All counters lie in one memory, to which one adder brings in turn what
/// each has counted since.
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
    /// Reads one of them, in the same cycle. Not in each cycle: what waits for its turn waits for reads, too.
    input  logic                read_i,
    input  logic          [3:0] index_i,
    output logic     [Bits-1:0] count_o,
    /// All of them, for simulation: where nothing is connected, nothing is built.
    output logic [tessera_isa_pkg::NumCounters-1:0][Bits-1:0] counters_o
);

  localparam int unsigned NumCounters = tessera_isa_pkg::NumCounters;

  // A turn takes 16 cycles, 32 with a read in every second one: so many cycles and beats, or requests of 4096 bytes.
  localparam int unsigned UnitBits = 6;
  localparam int unsigned ByteBits = 18;
  localparam int unsigned NumKinds = 3;
  localparam int unsigned FirstKind = tessera_isa_pkg::CounterReadFeatureBytes;

  logic [3:0] turn_q, at;
  logic [15:0] taken;
  assign at = (All && read_i) ? index_i : turn_q;
  always_comb begin
    for (int unsigned i = 0; i < 16; i++) taken[i] = turn_q == 4'(i) && !(All && read_i);
  end

  // Not in the memory yet.
  logic [15:0][ByteBits-1:0] pending;

  // Cycles and beats.
  logic [NumCounters-1:0] add;
  always_comb begin
    add = '0;
    add[tessera_isa_pkg::CounterCycles] = running_i;
    add[tessera_isa_pkg::CounterArrayBusy] = running_i && activity_i.busy;
    add[tessera_isa_pkg::CounterStallWeights] = running_i && activity_i.stall_weights;
    add[tessera_isa_pkg::CounterStallBank] = running_i && activity_i.stall_bank;
    add[tessera_isa_pkg::CounterWaitLoad] = running_i && activity_i.wait_load;
    add[tessera_isa_pkg::CounterWaitStore] = running_i && activity_i.wait_store;
    add[tessera_isa_pkg::CounterComputeOther] = running_i && activity_i == '0;
    add[tessera_isa_pkg::CounterReadBeats] = read_beat_i;
    add[tessera_isa_pkg::CounterWriteBeats] = write_beat_i;
  end

  // Bytes of commands and of stores.
  logic [1:0][ByteBits-1:0] bytes_q, bytes;
  logic [1:0] bytes_taken;
  assign bytes_taken = {taken[tessera_isa_pkg::CounterWriteBytes], taken[tessera_isa_pkg::CounterReadCommandBytes]};
  masked_sum #(
      .Width(ByteBits)
  ) u_commands (
      .first_i(ByteBits'(fetch_i.bytes)),
      .first_enable_i(fetch_i.valid),
      .second_i(bytes_q[0]),
      .second_enable_i(!bytes_taken[0]),
      .sum_o(bytes[0])
  );
  masked_sum #(
      .Width(ByteBits)
  ) u_stores (
      .first_i(ByteBits'(store_i.bytes)),
      .first_enable_i(store_i.valid),
      .second_i(bytes_q[1]),
      .second_enable_i(!bytes_taken[1]),
      .sum_o(bytes[1])
  );

  // Bytes of loads: of one kind at a time, so one adder.
  logic [NumKinds-1:0] of_kind;
  logic [NumKinds-1:0][ByteBits-1:0] loads_q;
  logic [ByteBits-1:0] so_far, loaded;
  always_comb begin
    of_kind = '0;
    of_kind[tessera_isa_pkg::CounterReadFeatureBytes-FirstKind] = load_i.valid &&
        (load_i.kind == tessera_isa_pkg::LoadKindFeature ||
         load_i.kind == tessera_isa_pkg::LoadKindOperand);
    of_kind[tessera_isa_pkg::CounterReadWeightBytes-FirstKind] = load_i.valid &&
        load_i.kind == tessera_isa_pkg::LoadKindWeight;
    of_kind[tessera_isa_pkg::CounterReadParamBytes-FirstKind] = load_i.valid &&
        (load_i.kind == tessera_isa_pkg::LoadKindParam ||
         load_i.kind == tessera_isa_pkg::LoadKindTable);
    so_far = of_kind[0] ? loads_q[0] : of_kind[1] ? loads_q[1] : loads_q[2];
  end
  masked_adder #(
      .Width(ByteBits)
  ) u_loads (
      .augend_i(ByteBits'(load_i.bytes)),
      .addend_i(so_far),
      .enable_i((of_kind & taken[FirstKind+:NumKinds]) == '0),
      .sum_o(loaded)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) bytes_q <= '0;
    else bytes_q <= bytes;
    for (int unsigned k = 0; k < NumKinds; k++) begin
      if (!rst_ni || (taken[FirstKind+k] && !of_kind[k])) loads_q[k] <= '0;
      else if (of_kind[k]) loads_q[k] <= loaded;
    end
  end

  for (genvar i = 0; i < 16; i++) begin : gen_pending
    if (i == tessera_isa_pkg::CounterReadCommandBytes) begin : gen_commands
      assign pending[i] = bytes_q[0];
    end else if (i == tessera_isa_pkg::CounterWriteBytes) begin : gen_stores
      assign pending[i] = bytes_q[1];
    end else if (i >= FirstKind && i < FirstKind + NumKinds) begin : gen_loads
      assign pending[i] = loads_q[i-FirstKind];
    end else if (i < NumCounters) begin : gen_units
      logic [UnitBits-1:0] units_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni || taken[i]) units_q <= '0;
        else if (add[i]) units_q <= units_q + UnitBits'(1);
        if (rst_ni && taken[i]) units_q[0] <= add[i];
      end
      assign pending[i] = ByteBits'(units_q);
    end else begin : gen_none
      assign pending[i] = '0;
    end
  end

  // What the one at hand has counted: only some have many bits.
  logic [15:0][UnitBits-1:0] low;
  logic [ByteBits-1:0] waiting;
  always_comb begin
    for (int unsigned i = 0; i < 16; i++) low[i] = pending[i][UnitBits-1:0];
    unique case (at)
      4'(tessera_isa_pkg::CounterReadCommandBytes): waiting = bytes_q[0];
      4'(tessera_isa_pkg::CounterReadFeatureBytes): waiting = loads_q[0];
      4'(tessera_isa_pkg::CounterReadWeightBytes): waiting = loads_q[1];
      4'(tessera_isa_pkg::CounterReadParamBytes): waiting = loads_q[2];
      4'(tessera_isa_pkg::CounterWriteBytes): waiting = bytes_q[1];
      default: waiting = '0;
    endcase
    waiting[UnitBits-1:0] = low[at];
  end

  logic [Bits-1:0] total[16], count;
  logic round_q;  // all were written since the reset
  logic [15:0] written;
  always_comb begin
    for (int unsigned i = 0; i < 16; i++) written[i] = round_q || turn_q > 4'(i);
  end
  masked_adder #(
      .Width(Bits)
  ) u_count (
      .augend_i(Bits'(waiting)),
      .addend_i(total[at]),
      .enable_i(round_q || turn_q > at),
      .sum_o(count)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      round_q <= 1'b0;
      turn_q  <= '0;
    end else if (!(All && read_i)) begin
      round_q <= round_q || turn_q == '1;
      turn_q  <= turn_q + 4'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!(All && read_i)) total[turn_q] <= count;
  end

  if (All) begin : gen_all
    assign count_o = count;
  end else begin : gen_cycles
    logic [Bits-1:0] cycles_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) cycles_q <= '0;
      else if (running_i) cycles_q <= cycles_q + Bits'(1);
    end
    assign count_o = (index_i == 4'(tessera_isa_pkg::CounterCycles)) ? cycles_q : '0;
    logic unused;
    assign unused = read_i;
  end
  for (genvar i = 0; i < NumCounters; i++) begin : gen_counters
    assign counters_o[i] = (written[i] ? total[i] : '0) + Bits'(pending[i]);
  end

endmodule
