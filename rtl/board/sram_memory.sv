/// Memory on the chip, and a serial flash where there is one, as sram_port shows them.
module sram_memory #(
    /// Bytes per beat: 2, 4 or 8.
    parameter int unsigned BusBytes = 4,
    parameter int unsigned MemoryBytes = 131072,
    parameter bit HasFlash = 1'b0,
    /// As flash_reader's.
    parameter int unsigned WakeCycles = 96
) (
    /// It may be asked; without a flash always.
    output logic                   ready_o,
    input  logic                   clk_i,
    /// Synchronous reset, active low.
    input  logic                   rst_ni,
    input  logic                   s_arvalid_i,
    output logic                   s_arready_o,
    input  logic                   s_arid_i,
    input  logic [           31:0] s_araddr_i,
    input  logic [            7:0] s_arlen_i,
    output logic                   s_rvalid_o,
    input  logic                   s_rready_i,
    output logic                   s_rid_o,
    output logic [ BusBytes*8-1:0] s_rdata_o,
    output logic [            1:0] s_rresp_o,
    output logic                   s_rlast_o,
    input  logic                   s_awvalid_i,
    output logic                   s_awready_o,
    input  logic [           31:0] s_awaddr_i,
    input  logic                   s_wvalid_i,
    output logic                   s_wready_o,
    input  logic [ BusBytes*8-1:0] s_wdata_i,
    input  logic [   BusBytes-1:0] s_wstrb_i,
    input  logic                   s_wlast_i,
    output logic                   s_bvalid_o,
    input  logic                   s_bready_i,
    output logic [            1:0] s_bresp_o,
    /// Bytes; addresses are there, and those of the flash are not written. A read's byte comes later.
    input  logic                   byte_valid_i,
    output logic                   byte_ready_o,
    input  logic                   byte_write_i,
    input  logic [           31:0] byte_address_i,
    input  logic [            7:0] byte_data_i,
    output logic                   byte_valid_o,
    output logic [            7:0] byte_data_o,
    /// As flash_reader has it; without a flash nothing.
    output logic                   flash_cs_no,
    output logic                   flash_sck_o,
    output logic                   flash_drive_o,
    output logic [            1:0] flash_io_o,
    input  logic [            1:0] flash_io_i
);

  localparam int unsigned AddressBits = $clog2(MemoryBytes / BusBytes);

  logic flash_start, flash_busy, flash_valid, flash_take, flash_last;
  logic [23:0] flash_address;
  logic [BusBytes*8-1:0] flash_data;
  logic write;
  logic [AddressBits-1:0] address;
  logic [BusBytes*8-1:0] stored, read;
  logic [BusBytes-1:0] strobe;

  sram_port #(
      .BusBytes(BusBytes),
      .AddressBits(AddressBits),
      .HasFlash(HasFlash)
  ) u_port (
      .clk_i,
      .rst_ni,
      .s_arvalid_i,
      .s_arready_o,
      .s_arid_i,
      .s_araddr_i,
      .s_arlen_i,
      .s_rvalid_o,
      .s_rready_i,
      .s_rid_o,
      .s_rdata_o,
      .s_rresp_o,
      .s_rlast_o,
      .s_awvalid_i,
      .s_awready_o,
      .s_awaddr_i,
      .s_wvalid_i,
      .s_wready_o,
      .s_wdata_i,
      .s_wstrb_i,
      .s_wlast_i,
      .s_bvalid_o,
      .s_bready_i,
      .s_bresp_o,
      .byte_valid_i,
      .byte_ready_o,
      .byte_write_i,
      .byte_address_i,
      .byte_data_i,
      .byte_valid_o,
      .byte_data_o,
      .address_o(address),
      .write_o(write),
      .strobe_o(strobe),
      .data_o(stored),
      .data_i(read),
      .flash_start_o(flash_start),
      .flash_address_o(flash_address),
      .flash_idle_i(ready_o && !flash_busy),
      .flash_valid_i(flash_valid),
      .flash_take_o(flash_take),
      .flash_last_o(flash_last),
      .flash_data_i(flash_data)
  );

  sram #(
      .WordBytes(BusBytes)
  ) u_memory (
      .clk_i,
      .address_i(address),
      .write_i(write),
      .strobe_i(strobe),
      .data_i(stored),
      .data_o(read)
  );

  if (HasFlash) begin : gen_flash
    flash_reader #(
        .WordBytes (BusBytes),
        .WakeCycles(WakeCycles)
    ) u_flash (
        .clk_i,
        .rst_ni,
        .ready_o(ready_o),
        .start_i(flash_start),
        .address_i(flash_address),
        .busy_o(flash_busy),
        .valid_o(flash_valid),
        .take_i(flash_take),
        .last_i(flash_last),
        .data_o(flash_data),
        .cs_no(flash_cs_no),
        .sck_o(flash_sck_o),
        .drive_o(flash_drive_o),
        .io_o(flash_io_o),
        .io_i(flash_io_i)
    );
  end else begin : gen_none
    assign {flash_busy, flash_valid, flash_data} = '0;
    assign ready_o = 1'b1;
    assign {flash_sck_o, flash_drive_o, flash_io_o} = '0;
    assign flash_cs_no = 1'b1;
    logic unused;
    assign unused = ^{flash_start, flash_address, flash_take, flash_last, flash_io_i};
  end

endmodule
