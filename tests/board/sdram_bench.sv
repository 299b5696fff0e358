// The port and the controller in front of the memory's model, whose clock is half a cycle late.
module sdram_bench #(
    parameter int unsigned BusBytes = 4,
    parameter int unsigned DataBytes = 2,
    parameter int unsigned ColumnBits = 8,
    parameter int unsigned RowBits = 11,
    parameter int unsigned CasLatency = 2,
    parameter bit HasMasks = 1'b1,
    // Cycles that the controller believes in.
    parameter int unsigned InitCycles = 6000,
    parameter int unsigned ActivateCycles = 1,
    parameter int unsigned PrechargeCycles = 1,
    parameter int unsigned ActiveCycles = 3,
    parameter int unsigned RefreshCycles = 4,
    parameter int unsigned RecoveryCycles = 1,
    parameter int unsigned RefreshInterval = 390,
    parameter int unsigned ClockPs = 20000
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    output logic                  ready_o,
    input  logic                  arvalid_i,
    output logic                  arready_o,
    input  logic                  arid_i,
    input  logic [          31:0] araddr_i,
    input  logic [           7:0] arlen_i,
    output logic                  rvalid_o,
    input  logic                  rready_i,
    output logic                  rid_o,
    output logic [BusBytes*8-1:0] rdata_o,
    output logic [           1:0] rresp_o,
    output logic                  rlast_o,
    input  logic                  awvalid_i,
    output logic                  awready_o,
    input  logic [          31:0] awaddr_i,
    input  logic                  wvalid_i,
    output logic                  wready_o,
    input  logic [BusBytes*8-1:0] wdata_i,
    input  logic [  BusBytes-1:0] wstrb_i,
    input  logic                  wlast_i,
    output logic                  bvalid_o,
    input  logic                  bready_i,
    output logic [           1:0] bresp_o,
    input  logic                  byte_valid_i,
    output logic                  byte_ready_o,
    input  logic                  byte_write_i,
    input  logic [          31:0] byte_address_i,
    input  logic [           7:0] byte_data_i,
    output logic                  byte_valid_o,
    output logic [           7:0] byte_data_o,
    output logic [           7:0] broken_o
);

  localparam int unsigned AddressBits = RowBits + 2 + ColumnBits;
  logic req_valid, req_ready, req_write, w_take, r_valid;
  logic [AddressBits-1:0] req_address;
  logic [7:0] req_words;
  logic [DataBytes*8-1:0] w_data, r_data;
  logic [DataBytes-1:0] w_strobe;

  sdram_port #(
      .BusBytes(BusBytes),
      .DataBytes(DataBytes),
      .AddressBits(AddressBits),
      .HasMasks(HasMasks)
  ) u_port (
      .clk_i,
      .rst_ni,
      .s_arvalid_i(arvalid_i),
      .s_arready_o(arready_o),
      .s_arid_i(arid_i),
      .s_araddr_i(araddr_i),
      .s_arlen_i(arlen_i),
      .s_rvalid_o(rvalid_o),
      .s_rready_i(rready_i),
      .s_rid_o(rid_o),
      .s_rdata_o(rdata_o),
      .s_rresp_o(rresp_o),
      .s_rlast_o(rlast_o),
      .s_awvalid_i(awvalid_i),
      .s_awready_o(awready_o),
      .s_awaddr_i(awaddr_i),
      .s_wvalid_i(wvalid_i),
      .s_wready_o(wready_o),
      .s_wdata_i(wdata_i),
      .s_wstrb_i(wstrb_i),
      .s_wlast_i(wlast_i),
      .s_bvalid_o(bvalid_o),
      .s_bready_i(bready_i),
      .s_bresp_o(bresp_o),
      .byte_valid_i,
      .byte_ready_o,
      .byte_write_i,
      .byte_address_i,
      .byte_data_i,
      .byte_valid_o,
      .byte_data_o,
      .req_valid_o(req_valid),
      .req_ready_i(req_ready),
      .req_write_o(req_write),
      .req_address_o(req_address),
      .req_words_o(req_words),
      .w_data_o(w_data),
      .w_strobe_o(w_strobe),
      .w_take_i(w_take),
      .r_valid_i(r_valid),
      .r_data_i(r_data)
  );

  logic cke, cs_n, ras_n, cas_n, we_n, drive, model_drive;
  logic [1:0] bank;
  logic [RowBits-1:0] address;
  logic [DataBytes-1:0] mask;
  logic [DataBytes*8-1:0] data, model_data;

  sdram_controller #(
      .DataBytes(DataBytes),
      .ColumnBits(ColumnBits),
      .RowBits(RowBits),
      .CasLatency(CasLatency),
      .InitCycles(InitCycles),
      .ActivateCycles(ActivateCycles),
      .PrechargeCycles(PrechargeCycles),
      .ActiveCycles(ActiveCycles),
      .RefreshCycles(RefreshCycles),
      .RecoveryCycles(RecoveryCycles),
      .RefreshInterval(RefreshInterval)
  ) u_controller (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .ready_o,
      .req_valid_i(req_valid),
      .req_ready_o(req_ready),
      .req_write_i(req_write),
      .req_address_i(req_address),
      .req_words_i(req_words),
      .w_data_i(w_data),
      .w_strobe_i(w_strobe),
      .w_take_o(w_take),
      .r_valid_o(r_valid),
      .r_data_o(r_data),
      .cke_o(cke),
      .cs_no(cs_n),
      .ras_no(ras_n),
      .cas_no(cas_n),
      .we_no(we_n),
      .bank_o(bank),
      .address_o(address),
      .mask_o(mask),
      .drive_o(drive),
      .data_o(data),
      .data_i(data_in_q)
  );

  // The pads. What nobody drives is not a value: reads that are not timed right see another one.
  logic [DataBytes*8-1:0] data_in_q;
  logic [4:0] command_q;
  logic [1:0] bank_q;
  logic [RowBits-1:0] address_q;
  logic [DataBytes-1:0] mask_q;
  logic drive_q;
  logic [DataBytes*8-1:0] data_q;
  always_ff @(posedge clk_i) begin
    data_in_q <= model_drive ? model_data : {DataBytes{8'h5A}};
    command_q <= {cke, cs_n, ras_n, cas_n, we_n};
    bank_q <= bank;
    address_q <= address;
    mask_q <= mask;
    drive_q <= drive;
    data_q <= data;
  end

  sdram_model #(
      .DataBytes(DataBytes),
      .ColumnBits(ColumnBits),
      .RowBits(RowBits),
      .ClockPs(ClockPs),
      .PowerUpPs(100000000)
  ) u_model (
      .clk_i(!clk_i),
      .cke_i(command_q[4]),
      .cs_ni(command_q[3]),
      .ras_ni(command_q[2]),
      .cas_ni(command_q[1]),
      .we_ni(command_q[0]),
      .bank_i(bank_q),
      .address_i(address_q),
      .mask_i(HasMasks ? mask_q : '0),
      .data_i(drive_q ? data_q : {DataBytes{8'hA5}}),
      .data_o(model_data),
      .drive_o(model_drive),
      .broken_o(broken_o)
  );

endmodule
