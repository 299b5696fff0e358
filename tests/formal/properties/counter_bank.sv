/// Each counter is the sum of all that it had to count, also when it is read, as long as not every cycle reads.
module counter_bank_properties #(
    parameter int unsigned Bits = 48
) (
    input logic clk_i,
    input logic running_i,
    input unit_pkg::activity_t activity_i,
    input bus_pkg::requested_t fetch_i,
    input bus_pkg::requested_t load_i,
    input bus_pkg::requested_t store_i,
    input logic read_beat_i,
    input logic write_beat_i,
    input logic read_i,
    input logic [3:0] index_i,
    /// The counter that is looked at.
    input logic [3:0] which_i
);

  logic rst_n;
  logic [Bits-1:0] count;
  logic [tessera_isa_pkg::NumCounters-1:0][Bits-1:0] counters;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  counter_bank #(
      .Bits(Bits)
  ) u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .running_i,
      .activity_i,
      .fetch_i,
      .load_i,
      .store_i,
      .read_beat_i,
      .write_beat_i,
      .read_i,
      .index_i,
      .count_o(count),
      .counters_o(counters)
  );

  logic [12:0] step;
  logic of_bytes;
  always_comb begin
    step = '0;
    of_bytes = 1'b0;
    case (32'(which_i))
      tessera_isa_pkg::CounterCycles: step = 13'(running_i);
      tessera_isa_pkg::CounterArrayBusy: step = 13'(running_i && activity_i.busy);
      tessera_isa_pkg::CounterStallWeights: step = 13'(running_i && activity_i.stall_weights);
      tessera_isa_pkg::CounterStallBank: step = 13'(running_i && activity_i.stall_bank);
      tessera_isa_pkg::CounterWaitLoad: step = 13'(running_i && activity_i.wait_load);
      tessera_isa_pkg::CounterWaitStore: step = 13'(running_i && activity_i.wait_store);
      tessera_isa_pkg::CounterComputeOther: step = 13'(running_i && activity_i == '0);
      tessera_isa_pkg::CounterReadBeats: step = 13'(read_beat_i);
      tessera_isa_pkg::CounterWriteBeats: step = 13'(write_beat_i);
      tessera_isa_pkg::CounterReadCommandBytes: begin
        of_bytes = 1'b1;
        if (fetch_i.valid) step = fetch_i.bytes;
      end
      tessera_isa_pkg::CounterWriteBytes: begin
        of_bytes = 1'b1;
        if (store_i.valid) step = store_i.bytes;
      end
      default: begin
        of_bytes = 1'b1;
        if (load_i.valid && which_i == (
            load_i.kind == tessera_isa_pkg::LoadKindFeature || load_i.kind == tessera_isa_pkg::LoadKindOperand ?
                4'(tessera_isa_pkg::CounterReadFeatureBytes) :
            load_i.kind == tessera_isa_pkg::LoadKindWeight ? 4'(tessera_isa_pkg::CounterReadWeightBytes) :
            load_i.kind == tessera_isa_pkg::LoadKindParam || load_i.kind == tessera_isa_pkg::LoadKindTable ?
                4'(tessera_isa_pkg::CounterReadParamBytes) : 4'd15)) begin
          step = load_i.bytes;
        end
      end
    endcase
  end

  /// Connected to what the cell has not brought to its memory, and to whose turn it is.
  (* keep *)logic [15:0][17:0] pending_seen;
  (* keep *)logic [3:0] turn_q_seen;
  logic [Bits-1:0] sum_q;
  logic [3:0] which_q, others;
  logic [5:0] age_q;  // cycles whose steps are pending
  logic read_q;
  assign others = turn_q_seen - which_i - 4'd1;  // turns since its own
  always_ff @(posedge clk_i) begin
    which_q <= which_i;
    if (!rst_n) begin
      sum_q <= '0;
      age_q <= '0;
      read_q <= 1'b0;
    end else begin
      sum_q <= sum_q + Bits'(step);
      age_q <= (turn_q_seen == which_i && !read_i) ? 6'd1 : age_q + 6'd1;
      read_q <= read_i;
    end
  end

  always_comb begin
    assume (32'(which_i) < tessera_isa_pkg::NumCounters);
    if (rst_n) begin
      assume (which_i == which_q);
      assume (!(read_i && read_q));
      never_waits_longer : assert (7'(age_q) <= 7'd1 + 7'({others, 1'b0}) + 7'(read_q));
      nothing_runs_over : assert (32'(pending_seen[which_i]) <= 32'(age_q) * (of_bytes ? 32'd8191 : 32'd1));
      all_is_counted : assert (counters[which_i] == sum_q);
      reads_are_true : assert (!read_i || index_i != which_i || count == sum_q);
    end
  end

endmodule
