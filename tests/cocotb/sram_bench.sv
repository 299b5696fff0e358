// Memory on the chip and a flash behind their port, with the cells' models, as a board has them. Ports are those of sdram_bench.
module sram_bench #(
    parameter int unsigned BusBytes = 4,
    // sdram_bench's.
    parameter int unsigned DataBytes = 4,
    parameter bit HasMasks = 1'b1,
    parameter int unsigned WakeCycles = 150
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

  logic cs_n, sck, drive;
  logic [1:0] out, in;

  sram_memory #(
      .BusBytes(BusBytes),
      .HasFlash(1'b1),
      .WakeCycles(WakeCycles)
  ) u_memory (
      .ready_o,
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
      .flash_cs_no(cs_n),
      .flash_sck_o(sck),
      .flash_drive_o(drive),
      .flash_io_o(out),
      .flash_io_i(in)
  );

  wire sck_pad;
  wire [1:0] lines;
  logic selected_n, answers;
  logic [1:0] answer;
  flash_pads u_pads (
      .clk_i,
      .cs_ni(cs_n),
      .sck_i(sck),
      .drive_i(drive),
      .io_i(out),
      .io_o(in),
      .cs_no(selected_n),
      .sck_pad_io(sck_pad),
      .pads_io(lines)
  );
  assign lines = answers ? answer : 'z;
  flash_model #(
      .ClockPs(20000),
      .WakePs (3000000)
  ) u_flash (
      .clk_i,
      .cs_ni(selected_n),
      .sck_i(sck_pad),
      .io_i(lines),
      .io_o(answer),
      .drive_o(answers),
      .broken_o
  );

endmodule
