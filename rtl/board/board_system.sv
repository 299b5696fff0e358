/// What a board with an SDRAM runs: the accelerator and the link to a host, which have everything in that
/// memory. One clock. Its parameters stand in
/// board_config_pkg, which `cosim` writes for a board, a clock and a hardware.
module board_system (
    input  logic                   clk_i,
    /// Asynchronous, active low: the clock is not stable yet.
    input  logic                   rst_ni,
    input  logic                   uart_rx_i,
    output logic                   uart_tx_o,
    /// As linked_npu has them.
    output logic [            4:0] leds_o,
    /// The memory, as sdram_controller has it.
    output logic                   sdram_cke_o,
    output logic                   sdram_cs_no,
    output logic                   sdram_ras_no,
    output logic                   sdram_cas_no,
    output logic                   sdram_we_no,
    output logic [            1:0] sdram_bank_o,
    output logic [board_config_pkg::RowBits-1:0] sdram_address_o,
    output logic [board_config_pkg::DataBytes-1:0] sdram_mask_o,
    output logic                   sdram_drive_o,
    output logic [board_config_pkg::DataBytes*8-1:0] sdram_data_o,
    input  logic [board_config_pkg::DataBytes*8-1:0] sdram_data_i
);

  localparam int unsigned BusBytes = board_config_pkg::BusBytes;
  localparam int unsigned DataBytes = board_config_pkg::DataBytes;
  localparam int unsigned AddressBits = board_config_pkg::RowBits + 2 + board_config_pkg::ColumnBits;
  localparam int unsigned MemoryBytes = DataBytes << AddressBits;

  logic stable_n, run_rst_n, memory_ready;
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
      .MemoryBytes(MemoryBytes)
  ) u_linked (
      .clk_i,
      .rst_ni,
      .uart_rx_i,
      .uart_tx_o,
      .leds_o,
      .stable_no(stable_n),
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

  logic req_valid, req_ready, req_write, w_take, r_valid;
  logic [AddressBits-1:0] req_address;
  logic [7:0] req_words;
  logic [DataBytes*8-1:0] w_data, r_data;
  logic [DataBytes-1:0] w_strobe;

  sdram_port #(
      .BusBytes(board_config_pkg::BusBytes),
      .DataBytes(board_config_pkg::DataBytes),
      .AddressBits(AddressBits),
      .HasMasks(board_config_pkg::HasMasks)
  ) u_port (
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

  sdram_controller #(
      .DataBytes(board_config_pkg::DataBytes),
      .ColumnBits(board_config_pkg::ColumnBits),
      .RowBits(board_config_pkg::RowBits),
      .CasLatency(board_config_pkg::CasLatency),
      .InitCycles(board_config_pkg::InitCycles),
      .ActivateCycles(board_config_pkg::ActivateCycles),
      .PrechargeCycles(board_config_pkg::PrechargeCycles),
      .ActiveCycles(board_config_pkg::ActiveCycles),
      .RefreshCycles(board_config_pkg::RefreshCycles),
      .RecoveryCycles(board_config_pkg::RecoveryCycles),
      .RefreshInterval(board_config_pkg::RefreshInterval)
  ) u_sdram (
      .clk_i,
      .rst_ni(stable_n),
      .flush_i(!run_rst_n),
      .ready_o(memory_ready),
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
      .cke_o(sdram_cke_o),
      .cs_no(sdram_cs_no),
      .ras_no(sdram_ras_no),
      .cas_no(sdram_cas_no),
      .we_no(sdram_we_no),
      .bank_o(sdram_bank_o),
      .address_o(sdram_address_o),
      .mask_o(sdram_mask_o),
      .drive_o(sdram_drive_o),
      .data_o(sdram_data_o),
      .data_i(sdram_data_i)
  );

endmodule
