/// standalone_system for a board whose program and samples are in its flash and whose activations are in memory on the chip: as few cells as
/// it takes to read a ROM's header byte by byte, write the accelerator's registers on the way, and start it when the header is right. The
/// ROM has one command stream. Lights and button are those of standalone_system.
module flash_alone #(
    /// At least 6.
    parameter int unsigned Leds = 7
) (
    input  logic            clk_i,
    /// Asynchronous, active low: the clock is not stable yet.
    input  logic            rst_ni,
    /// Asynchronous, high while pressed; may bounce for five milliseconds.
    input  logic            button_i,
    output logic [Leds-1:0] leds_o,
    /// As flash_reader has it.
    output logic            flash_cs_no,
    output logic            flash_sck_o,
    output logic            flash_drive_o,
    output logic [     1:0] flash_io_o,
    input  logic [     1:0] flash_io_i
);

  localparam int unsigned Shown = Leds - 2;
  localparam int unsigned Words = boot_pkg::FirstRun + boot_pkg::RunWords;
  localparam int unsigned IndexBits = 17;  // the memory's bytes
  localparam int unsigned CommandAddress = boot_pkg::FirstRun;
  localparam int unsigned CommandBytes = boot_pkg::FirstRun + 1;
  localparam logic [31:0] Hardware = (32'(board_config_pkg::BusBytes) << 16) | (32'(board_config_pkg::AtomicK) << 8) |
      32'(board_config_pkg::AtomicC);
  localparam int unsigned FlashBit = 24;

  logic [3:0] stable_q = '0;
  logic rst_n;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stable_q <= '0;
    else stable_q <= {stable_q[2:0], 1'b1};
  end
  assign rst_n = stable_q[3];

  logic press;
  button #(
      .StillCycles(board_config_pkg::ClockHz / 200)
  ) u_button (
      .clk_i,
      .rst_ni (rst_n),
      .button_i,
      .press_o(press)
  );

  typedef enum logic [3:0] {
    Idle,
    Failed,
    Header,    // the next byte
    Word,      // whole
    Configure, // a register takes it
    Check,     // the header's CRC
    Load,      // a byte of the sample
    Store,
    Enable,    // the interrupt
    Start,
    Run,
    Status,
    Cause,
    Score      // an output
  } state_t;
  state_t state_q;
  logic [IndexBits-1:0] index_q;
  logic [31:0] word_q;
  logic [31:0] checksum_q;
  logic [23:0] sample_at_q;
  logic [$clog2(standalone_pkg::Samples + 1)-1:0] sample_q;
  logic signed [7:0] largest_q;
  logic [Shown-1:0] best_q, class_q;
  logic [7:0] cause_q;

  // Bytes -----------------------------------------------------------------------------------------

  logic asked_q;  // the byte is on its way
  logic byte_valid, byte_ready, byte_write, came;
  logic [31:0] byte_address;
  logic [7:0] byte_data;
  logic reads, in_flash;
  logic [IndexBits-1:0] place;
  assign reads = state_q == Header || state_q == Load || state_q == Score;
  assign in_flash = state_q == Header || state_q == Load;
  assign byte_write = state_q == Store;
  assign byte_valid = (reads && !asked_q) || byte_write;
  assign place = index_q + IndexBits'(byte_write ? standalone_pkg::InputByte : standalone_pkg::OutputByte);
  always_comb begin
    byte_address = 32'(place);
    if (in_flash) byte_address[23:0] = (state_q == Load) ? sample_at_q : 24'(standalone_pkg::RomAt) | 24'(index_q[6:0]);
    byte_address[FlashBit] = in_flash;
  end

  logic crc_busy;
  logic [31:0] crc;
  serial_crc u_crc (
      .clk_i,
      .clear_i(state_q == Idle || state_q == Failed),
      .valid_i(state_q == Header && came && index_q[6:4] != '0),
      .data_i (byte_data),
      .busy_o (crc_busy),
      .crc_o  (crc)
  );

  // Registers -------------------------------------------------------------------------------------

  logic writing, reading, aw_done_q, w_done_q, ar_done_q;
  logic awready, wready, bvalid, arready, rvalid;
  logic [1:0] bresp, rresp;
  logic [11:0] offset;
  logic [31:0] value, read_value;
  logic irq;
  assign writing = state_q == Configure || state_q == Enable || state_q == Start;
  assign reading = state_q == Status || state_q == Cause;
  logic [4:0] word;
  assign word = index_q[6:2];
  always_comb begin
    offset = '0;
    value  = word_q;
    unique case (state_q)
      Enable: {offset, value} = {tessera_isa_pkg::RegIrqEnable, 32'd1};
      // Start, and clear what was.
      Start: {offset, value} = {tessera_isa_pkg::RegControl, 32'd3};
      Status: offset = tessera_isa_pkg::RegStatus;
      Cause: offset = tessera_isa_pkg::RegErrorCause;
      default:
      unique case (word)
        5'(boot_pkg::WordCbufLimit): offset = tessera_isa_pkg::RegCbufLimit;
        5'(boot_pkg::WordWatchdog): offset = tessera_isa_pkg::RegWatchdog;
        5'(CommandAddress): offset = tessera_isa_pkg::RegCommandAddress;
        default: offset = tessera_isa_pkg::RegCommandBytes;
      endcase
    endcase
  end
  logic written, read;
  assign written = writing && bvalid;
  assign read = reading && rvalid;

  // What cannot be run.
  logic fault;
  logic [7:0] fault_cause;
  always_comb begin
    fault = 1'b0;
    fault_cause = boot_pkg::ErrorHeader;
    if (state_q == Word) begin
      unique case (word)
        5'(boot_pkg::WordMagic): fault = word_q != boot_pkg::Magic;
        5'(boot_pkg::WordFormat): fault = word_q != {16'(Words), boot_pkg::Format};
        5'(boot_pkg::WordHardware): begin
          fault = word_q != Hardware;
          fault_cause = boot_pkg::ErrorHardware;
        end
        default: ;
      endcase
    end
    if (state_q == Check) begin
      fault = !crc_busy && ~crc != checksum_q;
      fault_cause = boot_pkg::ErrorChecksum;
    end
    if ((written && bresp[1]) || (read && rresp[1])) begin
      fault = 1'b1;
      fault_cause = boot_pkg::ErrorRegister;
    end
  end

  logic signed [7:0] score;
  logic larger, last_class, last_word, last_byte;
  assign score = byte_data;
  assign larger = index_q == '0 || score > largest_q;
  assign last_class = index_q == IndexBits'(standalone_pkg::Classes - 1);
  assign last_byte = index_q == IndexBits'(standalone_pkg::SampleBytes - 1);
  assign last_word = word == 5'(Words - 1);

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      state_q <= Idle;
      class_q <= '1;
      asked_q <= 1'b0;
      aw_done_q <= 1'b0;
      w_done_q <= 1'b0;
      ar_done_q <= 1'b0;
      sample_q <= '0;
      sample_at_q <= 24'(standalone_pkg::SamplesAt);
    end else begin
      asked_q <= (asked_q || (byte_valid && byte_ready && !byte_write)) && !came;
      aw_done_q <= writing && !bvalid && (aw_done_q || awready);
      w_done_q <= writing && !bvalid && (w_done_q || wready);
      ar_done_q <= reading && !rvalid && (ar_done_q || arready);

      unique case (state_q)
        Idle, Failed: begin
          index_q <= '0;
          if (press) state_q <= Header;
        end
        Header:
        if (came) begin
          word_q  <= {byte_data, word_q[31:8]};
          index_q <= index_q + 1'b1;
          if (index_q[1:0] == 2'd3) begin
            index_q <= index_q;  // until its word has been looked at
            state_q <= Word;
          end
        end
        Word: begin
          state_q <= last_word ? Check : Header;
          index_q <= index_q + 1'b1;
          unique case (word)
            5'(boot_pkg::WordChecksum): checksum_q <= word_q;
            5'(boot_pkg::WordCbufLimit), 5'(boot_pkg::WordWatchdog), 5'(CommandAddress), 5'(CommandBytes): begin
              index_q <= index_q;
              state_q <= Configure;
            end
            default: ;
          endcase
        end
        Configure:
        if (written) begin
          index_q <= index_q + 1'b1;
          state_q <= Header;
        end
        Check: begin
          index_q <= '0;
          if (!crc_busy) state_q <= Load;
        end
        Load:
        if (came) begin
          word_q[7:0] <= byte_data;
          sample_at_q <= sample_at_q + 1'b1;
          state_q <= Store;
        end
        Store:
        if (byte_ready) begin
          index_q <= index_q + 1'b1;
          state_q <= Load;
          if (last_byte) begin
            state_q  <= Enable;
            sample_q <= sample_q + 1'b1;
            if (sample_q == $bits(sample_q)'(standalone_pkg::Samples - 1)) begin
              sample_q <= '0;
              sample_at_q <= 24'(standalone_pkg::SamplesAt);
            end
          end
        end
        Enable: if (written) state_q <= Start;
        Start: if (written) state_q <= Run;
        Run: begin
          index_q <= '0;
          if (irq) state_q <= Status;
        end
        Status: if (read) state_q <= read_value[2] ? Cause : Score;
        Cause:
        if (read) begin
          cause_q <= read_value[7:0];
          state_q <= Failed;
        end
        default:
        if (came) begin
          // The first of equal ones.
          if (larger) begin
            largest_q <= score;
            best_q <= Shown'(index_q);
          end
          index_q <= index_q + 1'b1;
          if (last_class) begin
            class_q <= larger ? Shown'(index_q) : best_q;
            state_q <= Idle;
          end
        end
      endcase
      if (fault) begin
        state_q <= Failed;
        cause_q <= fault_cause;
      end
      if (state_q == Failed) class_q <= '1;
    end
  end

  class_lights #(
      .Leds(Leds),
      .BlinkCycles(board_config_pkg::ClockHz / 2)
  ) u_lights (
      .clk_i,
      .rst_ni  (rst_n),
      .runs_i  (state_q != Idle && state_q != Failed),
      .failed_i(state_q == Failed),
      .cause_i (cause_q),
      .class_i (class_q),
      .leds_o
  );

  // The accelerator and its memory ------------------------------------------------------------------

  logic memory_ready;
  logic m_arvalid, m_arready, m_arid, m_rvalid, m_rready, m_rid, m_rlast;
  logic m_awvalid, m_awready, m_wvalid, m_wready, m_wlast, m_bvalid, m_bready;
  logic [31:0] m_araddr, m_awaddr;
  logic [7:0] m_arlen;
  logic [1:0] m_rresp, m_bresp;
  logic [board_config_pkg::BusBytes*8-1:0] m_rdata, m_wdata;
  logic [board_config_pkg::BusBytes-1:0] m_wstrb;
  logic m_awid;
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
      .rst_ni(rst_n),
      .s_awvalid_i(writing && !aw_done_q),
      .s_awready_o(awready),
      .s_awaddr_i(offset),
      .s_wvalid_i(writing && !w_done_q),
      .s_wready_o(wready),
      .s_wdata_i(value),
      .s_wstrb_i(4'hF),
      .s_bvalid_o(bvalid),
      .s_bready_i(writing),
      .s_bresp_o(bresp),
      .s_arvalid_i(reading && !ar_done_q),
      .s_arready_o(arready),
      .s_araddr_i(offset),
      .s_rvalid_o(rvalid),
      .s_rready_i(reading),
      .s_rdata_o(read_value),
      .s_rresp_o(rresp),
      .m_arvalid_o(m_arvalid),
      .m_arready_i(m_arready),
      .m_arid_o(m_arid),
      .m_araddr_o(m_araddr),
      .m_arlen_o(m_arlen),
      .m_arsize_o(m_arsize),
      .m_arburst_o(m_arburst),
      .m_rvalid_i(m_rvalid),
      .m_rready_o(m_rready),
      .m_rid_i(m_rid),
      .m_rdata_i(m_rdata),
      .m_rresp_i(m_rresp),
      .m_rlast_i(m_rlast),
      .m_awvalid_o(m_awvalid),
      .m_awready_i(m_awready),
      .m_awid_o(m_awid),
      .m_awaddr_o(m_awaddr),
      .m_awlen_o(m_awlen),
      .m_awsize_o(m_awsize),
      .m_awburst_o(m_awburst),
      .m_wvalid_o(m_wvalid),
      .m_wready_i(m_wready),
      .m_wdata_o(m_wdata),
      .m_wstrb_o(m_wstrb),
      .m_wlast_o(m_wlast),
      .m_bvalid_i(m_bvalid),
      .m_bready_o(m_bready),
      .m_bresp_i(m_bresp),
      .irq_o(irq),
      .trace_mark_valid_o(mark_valid),
      .trace_mark_id_o(mark_id),
      .trace_counters_o(counters)
  );

  sram_memory #(
      .BusBytes(board_config_pkg::BusBytes),
      .MemoryBytes(board_config_pkg::MemoryBytes),
      .HasFlash(1'b1),
      .WakeCycles(board_config_pkg::FlashWakeCycles)
  ) u_memory (
      .ready_o(memory_ready),
      .clk_i,
      .rst_ni(rst_n),
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
      .byte_data_i(word_q[7:0]),
      .byte_valid_o(came),
      .byte_data_o(byte_data),
      .flash_cs_no,
      .flash_sck_o,
      .flash_drive_o,
      .flash_io_o,
      .flash_io_i
  );

  logic unused;
  assign unused = ^{m_arsize, m_arburst, m_awid, m_awlen, m_awsize, m_awburst, mark_valid, mark_id, counters, bresp[0], rresp[0], read_value[31:8],
                    memory_ready};

endmodule
