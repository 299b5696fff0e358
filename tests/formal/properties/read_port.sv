/// Beats reach the unit that asked for them, and no burst is forgotten.
module read_port_properties (
    input logic            clk_i,
    input bus_pkg::burst_t fetch_i,
    input bus_pkg::burst_t load_i,
    input logic            fetch_r_ready_i,
    input logic            load_r_ready_i,
    input logic            ar_ready_i,
    input logic            rvalid_i,
    input logic            rid_i,
    input logic            rlast_i
);

  logic rst_n, fetch_ready, load_ready, id, fetch_valid, load_valid, outstanding, beat, ready;
  bus_pkg::burst_t ar;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  read_port u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .fetch_i,
      .fetch_ready_o(fetch_ready),
      .fetch_r_ready_i,
      .fetch_r_valid_o(fetch_valid),
      .load_i,
      .load_ready_o(load_ready),
      .load_r_ready_i,
      .load_r_valid_o(load_valid),
      .outstanding_o(outstanding),
      .beat_o(beat),
      .ar_o(ar),
      .arid_o(id),
      .arready_i(ar_ready_i),
      .rvalid_i,
      .rready_o(ready),
      .rid_i,
      .rlast_i
  );

  // Bursts of each unit that are under way.
  logic [5:0] fetches_q, loads_q;
  logic fetch_ends, load_ends;
  assign fetch_ends = rvalid_i && ready && rlast_i && !rid_i;
  assign load_ends  = rvalid_i && ready && rlast_i && rid_i;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      fetches_q <= '0;
      loads_q   <= '0;
    end else begin
      fetches_q <= fetches_q + 6'(fetch_i.valid && fetch_ready) - 6'(fetch_ends);
      loads_q   <= loads_q + 6'(load_i.valid && load_ready) - 6'(load_ends);
    end
  end

  always_comb begin
    if (rst_n) begin
      // A memory answers what was asked; the units ask for no more than their queues hold.
      assume (!rvalid_i || (rid_i ? loads_q != '0 : fetches_q != '0));
      assume (fetches_q < 6'd20 && loads_q < 6'd20);
      right_unit : assert (!(fetch_valid && load_valid) && (!fetch_valid || !rid_i));
      nothing_lost : assert ((fetch_valid || load_valid) == (rvalid_i && ready) && beat == (rvalid_i && ready));
      only_when_both_can : assert (!beat || (fetch_r_ready_i && load_r_ready_i));
      outstanding_is_true : assert (outstanding == (fetches_q != '0 || loads_q != '0));
    end
  end

endmodule
