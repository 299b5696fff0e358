/// Requests leave once each, in the order in which they were accepted, and as AXI wants them.
module read_arbiter_properties (
    input logic            clk_i,
    input bus_pkg::burst_t fetch_i,
    input bus_pkg::burst_t load_i,
    input logic            ar_ready_i
);

  logic rst_n, fetch_ready, load_ready, id;
  bus_pkg::burst_t ar;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  read_arbiter u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .fetch_i,
      .fetch_ready_o(fetch_ready),
      .load_i,
      .load_ready_o(load_ready),
      .ar_o(ar),
      .ar_ready_i,
      .ar_id_o(id)
  );

  logic pending_q, offered_q, load_q;
  logic [39:0] request_q;
  logic [40:0] offer_q;
  logic fetch_taken, load_taken;
  assign fetch_taken = fetch_i.valid && fetch_ready;
  assign load_taken  = load_i.valid && load_ready;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      pending_q <= 1'b0;
      offered_q <= 1'b0;
    end else begin
      if (fetch_taken || load_taken) begin
        pending_q <= 1'b1;
        load_q <= load_taken;
        request_q <= fetch_taken ? {fetch_i.address, fetch_i.len} : {load_i.address, load_i.len};
      end else if (ar.valid && ar_ready_i) begin
        pending_q <= 1'b0;
      end
      offered_q <= ar.valid && !ar_ready_i;
      offer_q <= {id, ar.address, ar.len};
    end
  end

  always_comb begin
    if (rst_n) begin
      one_at_a_time : assert (!(fetch_taken && load_taken));
      commands_go_first : assert (!(fetch_i.valid && load_taken));
      nothing_lost_or_doubled : assert (ar.valid == pending_q);
      nothing_overwritten : assert (!(pending_q && !ar_ready_i && (fetch_taken || load_taken)));
      request_is_unchanged : assert (!pending_q || {load_q, request_q} == {id, ar.address, ar.len});
      stable_until_taken :
      assert (!offered_q || (ar.valid && offer_q == {id, ar.address, ar.len}));
      no_deadlock : assert (!ar_ready_i || fetch_ready);
    end
  end

endmodule
