/// The read channels of the bus, shared by command fetch (ID 0) and loads (ID 1).
module read_port (
    input  logic            clk_i,
    /// Synchronous reset, active low.
    input  logic            rst_ni,
    /// Both sinks take data whenever they can, whoever it is for: ready depends on no input.
    input  bus_pkg::burst_t fetch_i,
    output logic            fetch_ready_o,
    input  logic            fetch_r_ready_i,
    output logic            fetch_r_valid_o,
    input  bus_pkg::burst_t load_i,
    output logic            load_ready_o,
    input  logic            load_r_ready_i,
    output logic            load_r_valid_o,
    /// Bursts that were requested, the last beat to come.
    output logic            outstanding_o,
    /// A beat is handed over; a unit sees it only in that cycle.
    output logic            beat_o,
    output bus_pkg::burst_t ar_o,
    output logic            arid_o,
    input  logic            arready_i,
    input  logic            rvalid_i,
    output logic            rready_o,
    input  logic            rid_i,
    input  logic            rlast_i
);

  read_arbiter u_arbiter (
      .clk_i,
      .rst_ni,
      .fetch_i,
      .fetch_ready_o,
      .load_i,
      .load_ready_o,
      .ar_o,
      .ar_id_o(arid_o),
      .ar_ready_i(arready_i)
  );

  assign rready_o = fetch_r_ready_i && load_r_ready_i;
  assign beat_o = rvalid_i && rready_o;
  assign fetch_r_valid_o = beat_o && !rid_i;
  assign load_r_valid_o = beat_o && rid_i;

  logic [7:0] bursts_q;
  logic request;
  assign request = (fetch_i.valid && fetch_ready_o) || (load_i.valid && load_ready_o);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) bursts_q <= '0;
    else bursts_q <= bursts_q + 8'(request) - 8'(beat_o && rlast_i);
  end
  assign outstanding_o = bursts_q != '0;

endmodule
