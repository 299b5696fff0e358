/// Shares the read address channel between command fetch (first) and loads; ARID tells them apart.
module read_arbiter (
    input  logic        clk_i,
    /// Synchronous reset, active low.
    input  logic        rst_ni,
    input  logic        fetch_valid_i,
    output logic        fetch_ready_o,
    input  logic [31:0] fetch_address_i,
    input  logic [ 7:0] fetch_len_i,
    input  logic        load_valid_i,
    output logic        load_ready_o,
    input  logic [31:0] load_address_i,
    input  logic [ 7:0] load_len_i,
    output logic        ar_valid_o,
    input  logic        ar_ready_i,
    /// 0: fetch, 1: load.
    output logic        ar_id_o,
    output logic [31:0] ar_address_o,
    output logic [ 7:0] ar_len_o
);

  logic valid_q, id_q, slot;
  logic [31:0] address_q;
  logic [ 7:0] len_q;

  assign slot = !valid_q || ar_ready_i;
  assign fetch_ready_o = slot;
  assign load_ready_o = slot && !fetch_valid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (slot) valid_q <= fetch_valid_i || load_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (slot && (fetch_valid_i || load_valid_i)) begin
      id_q <= !fetch_valid_i;
      address_q <= fetch_valid_i ? fetch_address_i : load_address_i;
      len_q <= fetch_valid_i ? fetch_len_i : load_len_i;
    end
  end

  assign ar_valid_o = valid_q;
  assign ar_id_o = id_q;
  assign ar_address_o = address_q;
  assign ar_len_o = len_q;

endmodule
