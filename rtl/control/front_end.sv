/// Commands from external memory into the queues of the units. Bit 0: load, 1: compute, 2: store.
module front_end #(
    parameter int unsigned BusBytes = 8,
    /// Words per queue, a power of two.
    parameter int unsigned QueueDepth = 32,
    /// A bit for each feature that is built.
    parameter int unsigned Features = (1 << tessera_isa_pkg::NumFeatures) - 1
) (
    input  logic                         clk_i,
    /// Synchronous reset, active low: forgets the stream.
    input  logic                         rst_ni,
    input  logic                         halt_i,
    input  unit_pkg::run_t               run_i,
    /// Read bursts, and their data.
    output bus_pkg::burst_t              ar_o,
    input  logic                         ar_ready_i,
    input  logic                         r_valid_i,
    output logic                         r_ready_o,
    input  logic          [BusBytes*8-1:0] r_data_i,
    output bus_pkg::requested_t          requested_o,
    /// Queue heads.
    output unit_pkg::command_t           load_o,
    output unit_pkg::command_t           compute_o,
    output unit_pkg::command_t           store_o,
    input  logic                   [2:0] pop_i,
    output unit_pkg::front_status_t      status_o
);

  unit_pkg::decoded_t word;
  logic [2:0] push, full, empty;
  logic [2:0][unit_pkg::DecodedBits-1:0] head;

  command_fetch #(
      .BusBytes(BusBytes),
      .Features(Features)
  ) u_fetch (
      .clk_i,
      .rst_ni,
      .halt_i,
      .run_i,
      .ar_o,
      .ar_ready_i,
      .r_valid_i,
      .r_ready_o,
      .r_data_i,
      .requested_o,
      .word_o(word),
      .push_o(push),
      .full_i(full),
      .ended_o(status_o.ended),
      .blocked_o(status_o.blocked),
      .error_o(status_o.error)
  );

  for (genvar u = 0; u < 3; u++) begin : gen_queues
    sync_fifo #(
        .Width(unit_pkg::DecodedBits),
        .Depth(QueueDepth)
    ) u_queue (
        .clk_i,
        .rst_ni,
        .push_i (push[u]),
        .data_i (word),
        .full_o (full[u]),
        .pop_i  (pop_i[u]),
        .data_o (head[u]),
        .empty_o(empty[u])
    );
  end

  assign load_o = {!empty[0], head[0]};
  assign compute_o = {!empty[1], head[1]};
  assign store_o = {!empty[2], head[2]};
  assign status_o.moved = (|(pop_i & ~empty)) || (|push);

endmodule
