/// Shares the read address channel between command fetch (first) and loads; ARID tells them apart.
module read_arbiter (
    input  logic        clk_i,
    /// Synchronous reset, active low.
    input  logic        rst_ni,
    input  bus_pkg::burst_t fetch_i,
    output logic            fetch_ready_o,
    input  bus_pkg::burst_t load_i,
    output logic            load_ready_o,
    output bus_pkg::burst_t ar_o,
    input  logic            ar_ready_i,
    /// 0: fetch, 1: load.
    output logic            ar_id_o
);

  logic valid_q, id_q, slot;
  logic [31:0] address_q;
  logic [ 7:0] len_q;

  assign slot = !valid_q || ar_ready_i;
  assign fetch_ready_o = slot;
  assign load_ready_o = slot && !fetch_i.valid;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (slot) valid_q <= fetch_i.valid || load_i.valid;
  end

  always_ff @(posedge clk_i) begin
    if (slot && (fetch_i.valid || load_i.valid)) begin
      id_q <= !fetch_i.valid;
      address_q <= fetch_i.valid ? fetch_i.address : load_i.address;
      len_q <= fetch_i.valid ? fetch_i.len : load_i.len;
    end
  end

  assign ar_id_o = id_q;
  assign ar_o = {valid_q, address_q, len_q};

endmodule
