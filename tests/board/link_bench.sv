// The board's end of the host link with a memory of bytes and some registers behind it.
module bench (
    input  logic       clk_i,
    input  logic       rx_i,
    output logic       tx_o,
    output logic [7:0] leds_o,
    output logic [7:0] broken_o
);

  localparam int unsigned Divider = 4;
  localparam int unsigned MemoryBytes = 65536;

  logic [3:0] stable_q = '0;
  logic rst_n;
  always_ff @(posedge clk_i) stable_q <= {stable_q[2:0], 1'b1};
  assign rst_n = stable_q[3];

  logic rx_valid, tx_valid, tx_ready, frame, frame_release, damaged, reply_valid, reply_ready,
      reply_last;
  logic [7:0] rx_data, tx_data, frame_sequence, operation, frame_byte, reply_data;
  logic [15:0] length;
  link_pkg::count_t bytes;
  logic [31:0] address;
  logic [9:0] index;

  uart_rx #(
      .Divider(Divider)
  ) u_rx (
      .clk_i,
      .rst_ni (rst_n),
      .line_i (rx_i),
      .valid_o(rx_valid),
      .data_o (rx_data)
  );
  uart_tx #(
      .Divider(Divider)
  ) u_tx (
      .clk_i,
      .rst_ni (rst_n),
      .line_o (tx_o),
      .valid_i(tx_valid),
      .ready_o(tx_ready),
      .data_i (tx_data)
  );
  link_decoder u_decoder (
      .clk_i,
      .rst_ni(rst_n),
      .valid_i(rx_valid),
      .data_i(rx_data),
      .frame_o(frame),
      .release_i(frame_release),
      .damaged_o(damaged),
      .sequence_o(frame_sequence),
      .operation_o(operation),
      .length_o(length),
      .address_o(address),
      .bytes_o(bytes),
      .index_i(index),
      .byte_o(frame_byte)
  );
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

  logic mem_valid, mem_ready, mem_write, mem_came;
  logic [31:0] mem_address;
  logic [7:0] mem_data, mem_read;
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  logic [11:0] awaddr, araddr;
  logic [31:0] wdata, rdata;
  logic [1:0] bresp, rresp;
  logic reset;

  link_engine #(
      .ClockHz(1000000),
      .MemoryBytes(MemoryBytes),
      // The same bytes again, to be read only.
      .FlashBytes (MemoryBytes)
  ) u_engine (
      .clk_i,
      .rst_ni(rst_n),
      .frame_i(frame),
      .release_o(frame_release),
      .damaged_i(damaged),
      .sequence_i(frame_sequence),
      .operation_i(operation),
      .length_i(length),
      .address_i(address),
      .bytes_i(bytes),
      .index_o(index),
      .byte_i(frame_byte),
      .valid_o(reply_valid),
      .ready_i(reply_ready),
      .data_o(reply_data),
      .last_o(reply_last),
      // It takes a while, as a memory's initialisation does.
      .memory_ready_i(ready_q[11]),
      .mem_valid_o(mem_valid),
      .mem_write_o(mem_write),
      .mem_address_o(mem_address),
      .mem_data_o(mem_data),
      .mem_ready_i(mem_ready),
      .mem_valid_i(mem_came),
      .mem_data_i(mem_read),
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
      .reset_o(reset)
  );

  logic [11:0] ready_q = '0;
  always_ff @(posedge clk_i) if (!ready_q[11]) ready_q <= ready_q + 12'd1;

  // Memory: ready every third cycle, the byte comes two cycles later.
  logic [7:0] memory[MemoryBytes];
  logic [1:0] turn_q = '0;
  logic [1:0] came_q = '0;
  logic [1:0][7:0] read_q;
  assign mem_ready = turn_q == 2'd0;
  always_ff @(posedge clk_i) begin
    turn_q <= (turn_q == 2'd2) ? 2'd0 : turn_q + 2'd1;
    came_q <= {came_q[0], mem_valid && mem_ready && !mem_write};
    read_q <= {read_q[0], memory[mem_address[15:0]]};
    if (mem_valid && mem_ready && mem_write) memory[mem_address[15:0]] <= mem_data;
  end
  assign mem_came = came_q[1];
  assign mem_read = read_q[1];

  // Registers: 0 counts writes of all others, 4 counts resets, from 0x800 on there are none.
  logic [31:0] writes_q = '0, resets_q = '0;
  logic [31:0] registers[16];
  logic aw_q = 1'b0, w_q = 1'b0, b_q = 1'b0, ar_q = 1'b0;
  logic [11:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q;
  assign awready = !aw_q;
  assign wready = !w_q;
  assign bvalid = b_q;
  assign bresp = {awaddr_q[11], 1'b0};
  assign arready = !ar_q;
  assign rvalid = ar_q;
  assign rresp = {araddr_q[11], 1'b0};
  assign rdata = araddr_q == 12'd0 ? writes_q : araddr_q == 12'd4 ? resets_q :
      registers[araddr_q[5:2]];
  always_ff @(posedge clk_i) begin
    if (reset) resets_q <= resets_q + 32'd1;
    if (awvalid && awready) begin
      aw_q <= 1'b1;
      awaddr_q <= awaddr;
    end
    if (wvalid && wready) begin
      w_q <= 1'b1;
      wdata_q <= wdata;
    end
    if (aw_q && w_q && !b_q) begin
      b_q <= 1'b1;
      if (!awaddr_q[11]) begin
        registers[awaddr_q[5:2]] <= wdata_q;
        writes_q <= writes_q + 32'd1;
      end
    end
    if (b_q && bready) {aw_q, w_q, b_q} <= '0;
    if (arvalid && arready) begin
      ar_q <= 1'b1;
      araddr_q <= araddr;
    end
    if (ar_q && rready) ar_q <= 1'b0;
  end

  assign leds_o = '0;
  assign broken_o = '0;

endmodule
