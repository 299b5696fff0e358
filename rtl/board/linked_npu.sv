/// What a board runs beside its memory: the accelerator, and the link to a host that puts programs and
/// inputs into the memory, starts runs and takes outputs. One clock. Its parameters stand in
/// board_config_pkg, which `cosim` writes for a board, a clock and a hardware.
module linked_npu #(
    /// As link_engine's.
    parameter int unsigned MemoryBytes = 1048576,
    parameter int unsigned FlashBytes = 0
) (
    input  logic                                   clk_i,
    /// Asynchronous, active low: the clock is not stable yet.
    input  logic                                   rst_ni,
    input  logic                                   uart_rx_i,
    output logic                                   uart_tx_o,
    /// 0: lives (blinks about once a second), 1: the memory is ready, 2: the last frame was right, 3: it
    /// was damaged, 4: an interrupt of the accelerator.
    output logic [                            4:0] leds_o,
    /// Synchronous resets, active low: since the clock is stable, and also when the host wants one.
    output logic                                   stable_no,
    output logic                                   run_rst_no,
    input  logic                                   memory_ready_i,
    /// The host's bytes: taken when ready; a read's byte comes later.
    output logic                                   byte_valid_o,
    output logic                                   byte_write_o,
    output logic [                           31:0] byte_address_o,
    output logic [                            7:0] byte_data_o,
    input  logic                                   byte_ready_i,
    input  logic                                   byte_valid_i,
    input  logic [                            7:0] byte_data_i,
    /// The accelerator's AXI4 master: INCR bursts of full-width beats.
    output logic                                   m_arvalid_o,
    input  logic                                   m_arready_i,
    output logic                                   m_arid_o,
    output logic [                           31:0] m_araddr_o,
    output logic [                            7:0] m_arlen_o,
    input  logic                                   m_rvalid_i,
    output logic                                   m_rready_o,
    input  logic                                   m_rid_i,
    input  logic [board_config_pkg::BusBytes*8-1:0] m_rdata_i,
    input  logic [                            1:0] m_rresp_i,
    input  logic                                   m_rlast_i,
    output logic                                   m_awvalid_o,
    input  logic                                   m_awready_i,
    output logic [                           31:0] m_awaddr_o,
    output logic                                   m_wvalid_o,
    input  logic                                   m_wready_i,
    output logic [board_config_pkg::BusBytes*8-1:0] m_wdata_o,
    output logic [  board_config_pkg::BusBytes-1:0] m_wstrb_o,
    output logic                                   m_wlast_o,
    input  logic                                   m_bvalid_i,
    output logic                                   m_bready_o,
    input  logic [                            1:0] m_bresp_i
);

  // Reset: some cycles after the clock is there, and when the link says so ------------------------

  logic [3:0] stable_q = '0;
  logic rst_n, run_rst_n, link_reset;
  logic [3:0] run_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stable_q <= '0;
    else stable_q <= {stable_q[2:0], 1'b1};
  end
  assign rst_n = stable_q[3];

  always_ff @(posedge clk_i) begin
    if (!rst_n || link_reset) run_q <= '0;
    else run_q <= {run_q[2:0], 1'b1};
  end
  assign run_rst_n = run_q[3];
  assign stable_no = rst_n;
  assign run_rst_no = run_rst_n;

  // The link --------------------------------------------------------------------------------------

  logic rx_valid, tx_valid, tx_ready;
  logic [7:0] rx_data, tx_data;
  uart_rx #(
      .Divider(board_config_pkg::LinkDivider)
  ) u_rx (
      .clk_i,
      .rst_ni (rst_n),
      .line_i (uart_rx_i),
      .valid_o(rx_valid),
      .data_o (rx_data)
  );
  uart_tx #(
      .Divider(board_config_pkg::LinkDivider)
  ) u_tx (
      .clk_i,
      .rst_ni (rst_n),
      .line_o (uart_tx_o),
      .valid_i(tx_valid),
      .ready_o(tx_ready),
      .data_i (tx_data)
  );

  logic frame, frame_release, frame_damaged;
  logic [7:0] frame_sequence, frame_operation, frame_byte;
  logic [15:0] frame_length;
  link_pkg::count_t frame_bytes;
  logic [31:0] frame_address;
  logic [9:0] frame_index;
  link_decoder u_decoder (
      .clk_i,
      .rst_ni(rst_n),
      .valid_i(rx_valid),
      .data_i(rx_data),
      .frame_o(frame),
      .release_i(frame_release),
      .damaged_o(frame_damaged),
      .sequence_o(frame_sequence),
      .operation_o(frame_operation),
      .length_o(frame_length),
      .address_o(frame_address),
      .bytes_o(frame_bytes),
      .index_i(frame_index),
      .byte_o(frame_byte)
  );

  logic reply_valid, reply_ready, reply_last;
  logic [7:0] reply_data;
  link_encoder u_encoder (
      .clk_i,
      .rst_ni (rst_n),
      .valid_i(reply_valid),
      .ready_o(reply_ready),
      .data_i (reply_data),
      .last_i (reply_last),
      .valid_o(tx_valid),
      .ready_i(tx_ready),
      .data_o (tx_data)
  );

  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  logic [11:0] awaddr, araddr;
  logic [31:0] wdata, rdata;
  logic [1:0] bresp, rresp;

  link_engine #(
      .ClockHz(board_config_pkg::ClockHz),
      .MemoryBytes(MemoryBytes),
      .FlashBytes(FlashBytes)
  ) u_link (
      .clk_i,
      .rst_ni(rst_n),
      .frame_i(frame),
      .release_o(frame_release),
      .damaged_i(frame_damaged),
      .sequence_i(frame_sequence),
      .operation_i(frame_operation),
      .length_i(frame_length),
      .address_i(frame_address),
      .bytes_i(frame_bytes),
      .index_o(frame_index),
      .byte_i(frame_byte),
      .valid_o(reply_valid),
      .ready_i(reply_ready),
      .data_o(reply_data),
      .last_o(reply_last),
      .memory_ready_i,
      .mem_valid_o(byte_valid_o),
      .mem_write_o(byte_write_o),
      .mem_address_o(byte_address_o),
      .mem_data_o(byte_data_o),
      .mem_ready_i(byte_ready_i),
      .mem_valid_i(byte_valid_i),
      .mem_data_i(byte_data_i),
      .m_awvalid_o(awvalid),
      .m_awready_i(awready),
      .m_awaddr_o(awaddr),
      .m_wvalid_o(wvalid),
      .m_wready_i(wready),
      .m_wdata_o(wdata),
      .m_bvalid_i(bvalid),
      .m_bready_o(bready),
      .m_bresp_i(bresp),
      .m_arvalid_o(arvalid),
      .m_arready_i(arready),
      .m_araddr_o(araddr),
      .m_rvalid_i(rvalid),
      .m_rready_o(rready),
      .m_rdata_i(rdata),
      .m_rresp_i(rresp),
      .reset_o(link_reset)
  );

  // The accelerator -------------------------------------------------------------------------------

  logic m_awid, irq;
  logic [7:0] m_awlen;
  logic [2:0] m_arsize, m_awsize;
  logic [1:0] m_arburst, m_awburst;
  logic [2:0] mark_valid;
  logic [2:0][15:0] mark_id;
  logic [tessera_isa_pkg::NumCounters-1:0][47:0] counters;

  tessera_npu #(
      .AtomicC(board_config_pkg::AtomicC),
      .AtomicK(board_config_pkg::AtomicK),
      .CbufBytes(board_config_pkg::CbufBytes),
      .CbufBanks(board_config_pkg::CbufBanks),
      .AccWords(board_config_pkg::AccWords),
      .ParamGroups(board_config_pkg::ParamGroups),
      .WindowRows(board_config_pkg::WindowRows),
      .WindowCols(board_config_pkg::WindowCols),
      .LineAtoms(board_config_pkg::LineAtoms),
      .FoldBytes(board_config_pkg::FoldBytes),
      .BusBytes(board_config_pkg::BusBytes),
      .PostLanes(board_config_pkg::PostLanes),
      .ReadOutstanding(board_config_pkg::ReadOutstanding),
      .QueueDepth(board_config_pkg::QueueDepth),
      .Features(board_config_pkg::Features),
      .LutMultipliers(board_config_pkg::LutMultipliers)
  ) u_npu (
      .clk_i,
      .rst_ni(run_rst_n),
      .s_awvalid_i(awvalid),
      .s_awready_o(awready),
      .s_awaddr_i(awaddr),
      .s_wvalid_i(wvalid),
      .s_wready_o(wready),
      .s_wdata_i(wdata),
      .s_wstrb_i(4'hF),
      .s_bvalid_o(bvalid),
      .s_bready_i(bready),
      .s_bresp_o(bresp),
      .s_arvalid_i(arvalid),
      .s_arready_o(arready),
      .s_araddr_i(araddr),
      .s_rvalid_o(rvalid),
      .s_rready_i(rready),
      .s_rdata_o(rdata),
      .s_rresp_o(rresp),
      .m_arvalid_o,
      .m_arready_i,
      .m_arid_o,
      .m_araddr_o,
      .m_arlen_o,
      .m_arsize_o(m_arsize),
      .m_arburst_o(m_arburst),
      .m_rvalid_i,
      .m_rready_o,
      .m_rid_i,
      .m_rdata_i,
      .m_rresp_i,
      .m_rlast_i,
      .m_awvalid_o,
      .m_awready_i,
      .m_awid_o(m_awid),
      .m_awaddr_o,
      .m_awlen_o(m_awlen),
      .m_awsize_o(m_awsize),
      .m_awburst_o(m_awburst),
      .m_wvalid_o,
      .m_wready_i,
      .m_wdata_o,
      .m_wstrb_o,
      .m_wlast_o,
      .m_bvalid_i,
      .m_bready_o,
      .m_bresp_i,
      .irq_o(irq),
      .trace_mark_valid_o(mark_valid),
      .trace_mark_id_o(mark_id),
      .trace_counters_o(counters)
  );

  // For eyes --------------------------------------------------------------------------------------

  logic [25:0] blink_q;
  logic right_q, damaged_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      blink_q <= '0;
      right_q <= 1'b0;
      damaged_q <= 1'b0;
    end else begin
      blink_q <= blink_q + 1'b1;
      if (frame_release) begin
        right_q   <= !frame_damaged;
        damaged_q <= frame_damaged;
      end
    end
  end
  assign leds_o = {irq, damaged_q, right_q, memory_ready_i, blink_q[25]};

  logic unused;
  assign unused = ^{m_arsize, m_arburst, m_awid, m_awlen, m_awsize, m_awburst, mark_valid, mark_id,
                    counters};

endmodule
