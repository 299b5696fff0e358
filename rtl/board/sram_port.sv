/// An AXI4 slave for the accelerator and a port of bytes for the host link in front of memory on the chip, and of a serial flash
/// where there is one. One burst at a time, with the memory a beat per cycle; a byte goes before a burst, and bursts of both directions
/// take turns. The memory begins at address 0; the flash is what addresses from 0100_0000h to 01FF_FFFFh read.
///
/// INCR bursts of full-width beats.
module sram_port #(
    /// Bytes per beat and per word of the memory, a power of two.
    parameter int unsigned BusBytes = 4,
    /// Of a word.
    parameter int unsigned AddressBits = 15,
    parameter bit HasFlash = 1'b0
) (
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
    /// The memory: what is read comes a cycle after its address.
    output logic [AddressBits-1:0] address_o,
    output logic                   write_o,
    output logic [   BusBytes-1:0] strobe_o,
    output logic [ BusBytes*8-1:0] data_o,
    input  logic [ BusBytes*8-1:0] data_i,
    /// The flash, as flash_reader has it.
    output logic                   flash_start_o,
    output logic [           23:0] flash_address_o,
    input  logic                   flash_idle_i,
    input  logic                   flash_valid_i,
    output logic                   flash_take_o,
    output logic                   flash_last_o,
    input  logic [ BusBytes*8-1:0] flash_data_i
);

  localparam int unsigned LaneBits = $clog2(BusBytes);
  localparam int unsigned PlaceBits = AddressBits + LaneBits;
  localparam logic [1:0] RespDecErr = 2'd3;

  typedef enum logic [2:0] {
    Idle,
    Read,
    FlashRead,
    FlashByte,
    Write,
    Respond
  } state_t;
  state_t state_q;
  logic wrote_q;  // the last burst was a write
  logic id_q, outside_q, byte_q, stored_q;
  logic [7:0] left_q;
  logic [LaneBits-1:0] lane_q;
  logic [AddressBits-1:0] place_q;

  logic [31:0] burst_address, address;
  logic byte_flash, burst_flash;
  assign burst_address = take_write ? s_awaddr_i : s_araddr_i;
  assign address = byte_valid_i ? byte_address_i : burst_address;
  assign byte_flash = HasFlash && byte_address_i[24];
  assign burst_flash = HasFlash && s_araddr_i[31:24] == 8'd1;

  logic take_byte, reads, writes, take_read, take_write, beat;
  assign take_byte = state_q == Idle && byte_valid_i && (!byte_flash || flash_idle_i);
  assign reads = s_arvalid_i && (wrote_q || !s_awvalid_i) && (!burst_flash || flash_idle_i);
  assign writes = s_awvalid_i && (!wrote_q || !s_arvalid_i);
  assign take_read = state_q == Idle && !byte_valid_i && reads;
  assign take_write = state_q == Idle && !byte_valid_i && writes;
  assign beat = state_q == Write && s_wvalid_i;

  // Where the memory is looked at is where place_q will be: what comes out next is what is there. The word behind one that was written
  // is looked at a cycle later, and that behind one that was taken at once.
  logic steps;
  assign steps = stored_q || (state_q == Read && s_rready_i);
  assign address_o = (state_q == Idle) ? address[PlaceBits-1:LaneBits] : place_q + AddressBits'(steps);
  assign write_o = (take_byte && byte_write_i && !byte_flash) || (beat && !outside_q);

  always_comb begin
    strobe_o = s_wstrb_i;
    data_o   = s_wdata_i;
    if (state_q == Idle) begin
      strobe_o = BusBytes'(1) << byte_address_i[LaneBits-1:0];
      data_o   = {BusBytes{byte_data_i}};
    end
  end

  always_ff @(posedge clk_i) begin
    place_q  <= address_o;
    stored_q <= beat;
    if (state_q == Idle) begin
      lane_q <= byte_address_i[LaneBits-1:0];
      id_q <= s_arid_i;
      outside_q <= (burst_address >> PlaceBits) != '0 && !(take_read && burst_flash);
      left_q <= s_arlen_i;
    end else if (s_rvalid_o && s_rready_i) begin
      left_q <= left_q - 8'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      wrote_q <= 1'b0;
      byte_q  <= 1'b0;
    end else begin
      byte_q <= take_byte && !byte_write_i && !byte_flash;
      unique case (state_q)
        Idle: begin
          if (take_byte && byte_flash && !byte_write_i) state_q <= FlashByte;
          if (take_read) state_q <= burst_flash ? FlashRead : Read;
          if (take_write) state_q <= Write;
          if (take_read || take_write) wrote_q <= take_write;
        end
        Read, FlashRead: if (s_rvalid_o && s_rready_i && s_rlast_o) state_q <= Idle;
        FlashByte: if (flash_valid_i) state_q <= Idle;
        Write: if (s_wvalid_i && s_wlast_i) state_q <= Respond;
        default: if (s_bready_i) state_q <= Idle;
      endcase
    end
  end

  assign s_arready_o = take_read;
  assign s_awready_o = take_write;
  assign s_rvalid_o = state_q == Read || (state_q == FlashRead && flash_valid_i);
  assign s_rid_o = id_q;
  logic from_flash;
  assign from_flash = HasFlash && (state_q == FlashRead || state_q == FlashByte);
  assign s_rdata_o = from_flash ? flash_data_i : data_i;
  assign s_rresp_o = outside_q ? RespDecErr : 2'd0;
  assign s_rlast_o = left_q == '0;
  assign s_wready_o = state_q == Write;
  assign s_bvalid_o = state_q == Respond;
  assign s_bresp_o = outside_q ? RespDecErr : 2'd0;

  assign byte_ready_o = state_q == Idle && (!byte_flash || flash_idle_i);
  assign byte_valid_o = byte_q || (state_q == FlashByte && flash_valid_i);
  assign byte_data_o = s_rdata_o[8*lane_q+:8];

  assign flash_start_o = HasFlash && ((take_read && burst_flash) || (take_byte && byte_flash && !byte_write_i));
  assign flash_address_o = {address[23:LaneBits], LaneBits'(0)};
  assign flash_take_o = state_q == FlashByte || (state_q == FlashRead && s_rready_i);
  assign flash_last_o = state_q == FlashByte || s_rlast_o;

  logic unused;
  assign unused = ^address;

endmodule
