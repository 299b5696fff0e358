// A board's memory behind its port (the module that MEMORY_BENCH names) as a slave of whole AXI, which the accelerator does not need: writes
// have identifiers, which come back in the order in which they went, and all addresses say what the port takes for granted.
module memory_axi_bench #(
    parameter int unsigned BusBytes = 4,
    parameter int unsigned DataBytes = 2,
    parameter bit HasMasks = 1'b1,
    // sram_bench's.
    parameter int unsigned WakeCycles = 150
) (
    input  logic                  clk,
    input  logic                  rst_n,
    output logic                  ready,
    output logic [           7:0] broken,
    /// A burst came that is not of whole beats at rising addresses.
    output logic                  foreign,
    input  logic                  s_axi_arvalid,
    output logic                  s_axi_arready,
    input  logic                  s_axi_arid,
    input  logic [          31:0] s_axi_araddr,
    input  logic [           7:0] s_axi_arlen,
    input  logic [           2:0] s_axi_arsize,
    input  logic [           1:0] s_axi_arburst,
    output logic                  s_axi_rvalid,
    input  logic                  s_axi_rready,
    output logic                  s_axi_rid,
    output logic [BusBytes*8-1:0] s_axi_rdata,
    output logic [           1:0] s_axi_rresp,
    output logic                  s_axi_rlast,
    input  logic                  s_axi_awvalid,
    output logic                  s_axi_awready,
    input  logic                  s_axi_awid,
    input  logic [          31:0] s_axi_awaddr,
    input  logic [           7:0] s_axi_awlen,
    input  logic [           2:0] s_axi_awsize,
    input  logic [           1:0] s_axi_awburst,
    input  logic                  s_axi_wvalid,
    output logic                  s_axi_wready,
    input  logic [BusBytes*8-1:0] s_axi_wdata,
    input  logic [  BusBytes-1:0] s_axi_wstrb,
    input  logic                  s_axi_wlast,
    output logic                  s_axi_bvalid,
    input  logic                  s_axi_bready,
    output logic                  s_axi_bid,
    output logic [           1:0] s_axi_bresp,
    input  logic                  byte_valid,
    output logic                  byte_ready,
    input  logic                  byte_write,
    input  logic [          31:0] byte_address,
    input  logic [           7:0] byte_data,
    output logic                  byte_answer_valid,
    output logic [           7:0] byte_answer
);

  localparam logic [1:0] Incr = 2'd1;
  localparam logic [2:0] WholeBeats = 3'($clog2(BusBytes));

  logic [63:0] ids;
  logic [5:0] head, tail;
  assign s_axi_bid = ids[head];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      foreign <= 1'b0;
      head <= '0;
      tail <= '0;
    end else begin
      if (s_axi_arvalid && (s_axi_arburst != Incr || s_axi_arsize != WholeBeats)) foreign <= 1'b1;
      if (s_axi_awvalid && (s_axi_awburst != Incr || s_axi_awsize != WholeBeats)) foreign <= 1'b1;
      if (s_axi_awvalid && s_axi_awready) begin
        ids[tail] <= s_axi_awid;
        tail <= tail + 6'd1;
      end
      if (s_axi_bvalid && s_axi_bready) head <= head + 6'd1;
    end
  end

  `MEMORY_BENCH #(
      .BusBytes(BusBytes),
      .DataBytes(DataBytes),
      .HasMasks(HasMasks)
`ifdef HAS_FLASH
      , .WakeCycles(WakeCycles)
`endif
  ) u_bench (
      .clk_i(clk),
      .rst_ni(rst_n),
      .ready_o(ready),
      .arvalid_i(s_axi_arvalid),
      .arready_o(s_axi_arready),
      .arid_i(s_axi_arid),
      .araddr_i(s_axi_araddr),
      .arlen_i(s_axi_arlen),
      .rvalid_o(s_axi_rvalid),
      .rready_i(s_axi_rready),
      .rid_o(s_axi_rid),
      .rdata_o(s_axi_rdata),
      .rresp_o(s_axi_rresp),
      .rlast_o(s_axi_rlast),
      .awvalid_i(s_axi_awvalid),
      .awready_o(s_axi_awready),
      .awaddr_i(s_axi_awaddr),
      .wvalid_i(s_axi_wvalid),
      .wready_o(s_axi_wready),
      .wdata_i(s_axi_wdata),
      .wstrb_i(s_axi_wstrb),
      .wlast_i(s_axi_wlast),
      .bvalid_o(s_axi_bvalid),
      .bready_i(s_axi_bready),
      .bresp_o(s_axi_bresp),
      .byte_valid_i(byte_valid),
      .byte_ready_o(byte_ready),
      .byte_write_i(byte_write),
      .byte_address_i(byte_address),
      .byte_data_i(byte_data),
      .byte_valid_o(byte_answer_valid),
      .byte_data_o(byte_answer),
      .broken_o(broken)
  );

endmodule
