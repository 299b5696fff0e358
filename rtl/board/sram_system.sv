/// What a board runs that has its memory on the chip: the accelerator and the link to a host, which have everything in it, or programs in
/// a serial flash. One clock. Its parameters stand in board_config_pkg, which `cosim` writes for a board, a clock and a hardware.
module sram_system (
    input  logic       clk_i,
    /// Asynchronous, active low: the clock is not stable yet.
    input  logic       rst_ni,
    input  logic       uart_rx_i,
    output logic       uart_tx_o,
    /// As linked_npu has them.
    output logic [4:0] leds_o,
    /// As flash_reader has it; without a flash nothing.
    output logic       flash_cs_no,
    output logic       flash_sck_o,
    output logic       flash_drive_o,
    output logic [1:0] flash_io_o,
    input  logic [1:0] flash_io_i
);

  localparam int unsigned BusBytes = board_config_pkg::BusBytes;
  localparam int unsigned MemoryBytes = board_config_pkg::MemoryBytes;
  localparam int unsigned FlashBytes = board_config_pkg::FlashBytes;

  logic memory_ready;
  logic unused_stable_n, run_rst_n;
  logic byte_valid, byte_ready, byte_write, byte_came;
  logic [31:0] byte_address;
  logic [7:0] byte_data, byte_read;
  logic m_arvalid, m_arready, m_arid, m_rvalid, m_rready, m_rid, m_rlast;
  logic m_awvalid, m_awready, m_wvalid, m_wready, m_wlast, m_bvalid, m_bready;
  logic [31:0] m_araddr, m_awaddr;
  logic [7:0] m_arlen;
  logic [1:0] m_rresp, m_bresp;
  logic [BusBytes*8-1:0] m_rdata, m_wdata;
  logic [BusBytes-1:0] m_wstrb;

  linked_npu #(
      .MemoryBytes(MemoryBytes),
      .FlashBytes (FlashBytes)
  ) u_linked (
      .clk_i,
      .rst_ni,
      .uart_rx_i,
      .uart_tx_o,
      .leds_o,
      .stable_no(unused_stable_n),
      .run_rst_no(run_rst_n),
      .memory_ready_i(memory_ready),
      .byte_valid_o(byte_valid),
      .byte_write_o(byte_write),
      .byte_address_o(byte_address),
      .byte_data_o(byte_data),
      .byte_ready_i(byte_ready),
      .byte_valid_i(byte_came),
      .byte_data_i(byte_read),
      .m_arvalid_o(m_arvalid),
      .m_arready_i(m_arready),
      .m_arid_o(m_arid),
      .m_araddr_o(m_araddr),
      .m_arlen_o(m_arlen),
      .m_rvalid_i(m_rvalid),
      .m_rready_o(m_rready),
      .m_rid_i(m_rid),
      .m_rdata_i(m_rdata),
      .m_rresp_i(m_rresp),
      .m_rlast_i(m_rlast),
      .m_awvalid_o(m_awvalid),
      .m_awready_i(m_awready),
      .m_awaddr_o(m_awaddr),
      .m_wvalid_o(m_wvalid),
      .m_wready_i(m_wready),
      .m_wdata_o(m_wdata),
      .m_wstrb_o(m_wstrb),
      .m_wlast_o(m_wlast),
      .m_bvalid_i(m_bvalid),
      .m_bready_o(m_bready),
      .m_bresp_i(m_bresp)
  );

  sram_memory #(
      .BusBytes(BusBytes),
      .MemoryBytes(MemoryBytes),
      .HasFlash(FlashBytes != 0),
      .WakeCycles(board_config_pkg::FlashWakeCycles)
  ) u_memory (
      .ready_o(memory_ready),
      .clk_i,
      .rst_ni(run_rst_n),
      .s_arvalid_i(m_arvalid),
      .s_arready_o(m_arready),
      .s_arid_i(m_arid),
      .s_araddr_i(m_araddr),
      .s_arlen_i(m_arlen),
      .s_rvalid_o(m_rvalid),
      .s_rready_i(m_rready),
      .s_rid_o(m_rid),
      .s_rdata_o(m_rdata),
      .s_rresp_o(m_rresp),
      .s_rlast_o(m_rlast),
      .s_awvalid_i(m_awvalid),
      .s_awready_o(m_awready),
      .s_awaddr_i(m_awaddr),
      .s_wvalid_i(m_wvalid),
      .s_wready_o(m_wready),
      .s_wdata_i(m_wdata),
      .s_wstrb_i(m_wstrb),
      .s_wlast_i(m_wlast),
      .s_bvalid_o(m_bvalid),
      .s_bready_i(m_bready),
      .s_bresp_o(m_bresp),
      .byte_valid_i(byte_valid),
      .byte_ready_o(byte_ready),
      .byte_write_i(byte_write),
      .byte_address_i(byte_address),
      .byte_data_i(byte_data),
      .byte_valid_o(byte_came),
      .byte_data_o(byte_read),
      .flash_cs_no,
      .flash_sck_o,
      .flash_drive_o,
      .flash_io_o,
      .flash_io_i
  );

endmodule
