/// What the accelerator's bus sees when it boots: a ROM with constants and commands, and RAM for
/// the activations. AXI4 slave for INCR bursts of full-width beats, one beat per cycle, reads and
/// writes at once; reads are answered in the order in which they came.
module boot_memory #(
    parameter int unsigned BusBytes = 8,
    /// Where the ROM's parts are seen on the bus, multiples of BusBytes; in the ROM the header
    /// comes first, then constants, then commands.
    parameter int unsigned HeaderBytes = 128,
    parameter int unsigned ConstantsBase = 0,
    parameter int unsigned ConstantsBytes = 1024,
    parameter int unsigned CommandsBase = 2048,
    parameter int unsigned CommandsBytes = 1024,
    /// RAM, a multiple of BusBytes.
    parameter int unsigned ArenaBase = 1024,
    parameter int unsigned ArenaBytes = 1024
) (
    input  logic                  clk_i,
    /// Synchronous reset, active low.
    input  logic                  rst_ni,
    input  logic                  s_arvalid_i,
    output logic                  s_arready_o,
    input  logic                  s_arid_i,
    input  logic [          31:0] s_araddr_i,
    input  logic [           7:0] s_arlen_i,
    output logic                  s_rvalid_o,
    input  logic                  s_rready_i,
    output logic                  s_rid_o,
    output logic [BusBytes*8-1:0] s_rdata_o,
    output logic [           1:0] s_rresp_o,
    output logic                  s_rlast_o,
    input  logic                  s_awvalid_i,
    output logic                  s_awready_o,
    input  logic [          31:0] s_awaddr_i,
    input  logic                  s_wvalid_i,
    output logic                  s_wready_o,
    input  logic [BusBytes*8-1:0] s_wdata_i,
    input  logic [  BusBytes-1:0] s_wstrb_i,
    input  logic                  s_wlast_i,
    output logic                  s_bvalid_o,
    input  logic                  s_bready_i,
    output logic [           1:0] s_bresp_o,
    /// The boot front end's look at the ROM, while nothing is read by the bus.
    input  logic                  front_re_i,
    input  logic [          31:0] front_address_i,
    /// The ROM: words of BusBytes, data a cycle after the address.
    output logic                  rom_re_o,
    output logic [          31:0] rom_address_o,
    input  logic [BusBytes*8-1:0] rom_data_i,
    /// The host's look at the RAM, while nothing runs: words of BusBytes from the begin of the
    /// activations, data a cycle after the address.
    input  logic                  host_re_i,
    input  logic [          31:0] host_address_i,
    output logic [BusBytes*8-1:0] host_data_o,
    input  logic [  BusBytes-1:0] host_we_i,
    input  logic [BusBytes*8-1:0] host_data_i
);

  localparam int unsigned WordBits = $clog2(BusBytes);
  localparam int unsigned RamWords = (ArenaBytes + BusBytes - 1) / BusBytes;
  localparam int unsigned RamBits = (RamWords > 1) ? $clog2(RamWords) : 1;
  localparam logic [1:0] RespOkay = 2'd0;
  localparam logic [1:0] RespDecErr = 2'd3;

  localparam logic [1:0] Nothing = 2'd0;
  localparam logic [1:0] Rom = 2'd1;
  localparam logic [1:0] Ram = 2'd2;

  function automatic logic [1:0] target_of(input logic [31:0] address);
    target_of = (address - ConstantsBase < ConstantsBytes || address - CommandsBase < CommandsBytes) ? Rom :
        (address - ArenaBase < ArenaBytes) ? Ram : Nothing;
  endfunction

  // Reads ---------------------------------------------------------------------------------------

  logic burst_empty, burst_full, burst_pop, burst_id;
  logic [31:0] burst_address;
  logic [7:0] burst_len;
  sync_fifo #(
      .Width(41),
      .Depth(16)
  ) u_bursts (
      .clk_i,
      .rst_ni,
      .push_i (s_arvalid_i && s_arready_o),
      .data_i ({s_arid_i, s_araddr_i, s_arlen_i}),
      .full_o (burst_full),
      .pop_i  (burst_pop),
      .data_o ({burst_id, burst_address, burst_len}),
      .empty_o(burst_empty)
  );
  assign s_arready_o = !burst_full;

  logic [7:0] beat_q;
  logic [31:0] address;
  logic advance, issue, last;
  logic [1:0] target, target_q;
  logic valid_q, id_q, last_q, beats_full, beats_empty;
  assign address = {burst_address[31:WordBits], {WordBits{1'b0}}} + (32'(beat_q) << WordBits);
  assign target = target_of(address);
  assign last = beat_q == burst_len;
  assign advance = !valid_q || !beats_full;
  assign issue = advance && !burst_empty;
  assign burst_pop = issue && last;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      beat_q  <= '0;
    end else if (advance) begin
      valid_q <= !burst_empty;
      if (issue) begin
        beat_q <= last ? '0 : beat_q + 8'd1;
        id_q <= burst_id;
        last_q <= last;
        target_q <= target;
      end
    end
  end

  logic [31:0] rom_byte;
  assign rom_byte = (address - ConstantsBase < ConstantsBytes) ?
      HeaderBytes + (address - ConstantsBase) :
      HeaderBytes + ConstantsBytes + (address - CommandsBase);
  assign rom_re_o = front_re_i || (issue && target == Rom);
  assign rom_address_o = front_re_i ? front_address_i : rom_byte >> WordBits;

  logic ram_re;
  logic [BusBytes*8-1:0] ram_data;
  assign ram_re = host_re_i || (issue && target == Ram);

  // Large memories answer late in their cycle: what they say is taken into registers first.
  logic [BusBytes*8-1:0] data;
  assign data = target_q == Rom ? rom_data_i : target_q == Ram ? ram_data : '0;
  sync_fifo #(
      .Width(BusBytes * 8 + 4),
      .Depth(2)
  ) u_beats (
      .clk_i,
      .rst_ni,
      .push_i (valid_q),
      .data_i ({id_q, last_q, target_q == Nothing ? RespDecErr : RespOkay, data}),
      .full_o (beats_full),
      .pop_i  (s_rready_i),
      .data_o ({s_rid_o, s_rlast_o, s_rresp_o, s_rdata_o}),
      .empty_o(beats_empty)
  );
  assign s_rvalid_o = !beats_empty;
  assign host_data_o = ram_data;

  // Writes --------------------------------------------------------------------------------------

  logic writing_q, response_q, refused_q;
  logic [31:0] write_address_q;
  logic write, in_ram;
  assign s_awready_o = !writing_q && !response_q;
  assign s_wready_o = writing_q;
  assign s_bvalid_o = response_q;
  assign s_bresp_o = refused_q ? RespDecErr : RespOkay;
  assign write = s_wvalid_i && s_wready_o;
  assign in_ram = target_of(write_address_q) == Ram;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      writing_q  <= 1'b0;
      response_q <= 1'b0;
    end else begin
      if (s_awvalid_i && s_awready_o) begin
        writing_q <= 1'b1;
        refused_q <= 1'b0;
        write_address_q <= {s_awaddr_i[31:WordBits], {WordBits{1'b0}}};
      end
      if (write) begin
        write_address_q <= write_address_q + BusBytes;
        if (!in_ram) refused_q <= 1'b1;
        if (s_wlast_i) begin
          writing_q  <= 1'b0;
          response_q <= 1'b1;
        end
      end
      if (response_q && s_bready_i) response_q <= 1'b0;
    end
  end

  logic [31:0] read_word, write_word;
  logic [BusBytes-1:0] we;
  assign read_word = host_re_i ? host_address_i : (address - ArenaBase) >> WordBits;
  assign write_word = (|host_we_i) ? host_address_i : (write_address_q - ArenaBase) >> WordBits;
  assign we = (write && in_ram) ? s_wstrb_i : host_we_i;

  ram_1r1w_bytes #(
      .Bytes(BusBytes),
      .Depth(RamWords)
  ) u_ram (
      .clk_i,
      .we_i(we),
      .waddr_i(write_word[RamBits-1:0]),
      .wdata_i((|host_we_i) ? host_data_i : s_wdata_i),
      .re_i(ram_re),
      .raddr_i(read_word[RamBits-1:0]),
      .rdata_o(ram_data)
  );

  logic unused;
  assign unused = ^{read_word[31:RamBits], write_word[31:RamBits], s_awaddr_i[WordBits-1:0],
                    burst_address[WordBits-1:0]};

endmodule
