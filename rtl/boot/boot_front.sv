/// Boot front end: reads the header of a ROM and runs the command streams it names on the
/// accelerator, through its registers. A start pulse runs up to the next work of the host.
module boot_front #(
    /// Bytes per word of the ROM, a power of two of at least 4.
    parameter int unsigned BusBytes = 8,
    /// The accelerator compares the checksums of streams.
    parameter bit Checksums = 1'b1
) (
    input  logic                  clk_i,
    /// Synchronous reset, active low.
    input  logic                  rst_ni,
    input  logic                  start_i,
    /// With start_i: from the first run of all on, so that states begin anew. After reset and after
    /// an error that is so in any case.
    input  logic                  restart_i,
    output logic                  busy_o,
    /// The streams up to the next work of the host, or all, have run.
    output logic                  done_o,
    /// Runs of the network that are done, without those that give states their first values; 0 when
    /// all are.
    output logic [          15:0] runs_done_o,
    output logic                  error_o,
    /// As the accelerator's registers have it, or one of boot_pkg's.
    output logic [           7:0] error_cause_o,
    output logic [          31:0] error_info_o,
    /// The ROM, while the accelerator does not run: data a cycle after the address.
    output logic                  rom_re_o,
    output logic [          31:0] rom_address_o,
    input  logic [BusBytes*8-1:0] rom_data_i,
    /// AXI4-Lite master.
    output logic                  m_awvalid_o,
    input  logic                  m_awready_i,
    output logic [          11:0] m_awaddr_o,
    output logic                  m_wvalid_o,
    input  logic                  m_wready_i,
    output logic [          31:0] m_wdata_o,
    input  logic                  m_bvalid_i,
    output logic                  m_bready_o,
    input  logic [           1:0] m_bresp_i,
    output logic                  m_arvalid_o,
    input  logic                  m_arready_i,
    output logic [          11:0] m_araddr_o,
    input  logic                  m_rvalid_i,
    output logic                  m_rready_o,
    input  logic [          31:0] m_rdata_i,
    input  logic [           1:0] m_rresp_i,
    /// The accelerator's interrupt.
    input  logic                  irq_i
);

  typedef enum logic [3:0] {
    Idle,
    Address,   // of the next word of the header
    Fetch,     // it comes out of the ROM
    Word,      // it is there
    Hardware,  // the accelerator's registers are compared
    Configure,
    Wait,
    Status,
    Cause,
    Info,
    Failed
  } state_t;

  state_t state_q;
  logic done_q;
  logic [15:0] index_q, words_q, run_q, runs_q, first_q;
  logic [31:0] crc_q, checksum_q, hardware_q, limit_q, watchdog_q, info_q;
  logic [31:0] stream_address_q, stream_bytes_q, stream_checksum_q;
  logic stop_q;
  logic [7:0] cause_q;

  // The header ----------------------------------------------------------------------------------

  localparam int unsigned Lanes = BusBytes / 4;
  logic [31:0] fetched, word_q;
  if (Lanes == 1) begin : gen_narrow
    assign rom_address_o = {16'd0, index_q};
    assign fetched = rom_data_i[31:0];
  end else begin : gen_wide
    assign rom_address_o = {16'd0, index_q} / Lanes;
    assign fetched = rom_data_i[32*index_q[$clog2(Lanes)-1:0]+:32];
  end
  assign rom_re_o = state_q == Address;
  // Large memories answer late in their cycle.
  always_ff @(posedge clk_i) word_q <= fetched;

  logic [31:0] crc;
  crc_next u_crc (
      .crc_i (crc_q),
      .data_i(word_q),
      .crc_o (crc)
  );

  // The word belongs to the run that is to be made.
  logic [15:0] place;
  assign place = index_q - 16'(boot_pkg::FirstRun) - (run_q << $clog2(boot_pkg::RunWords));

  // Registers -----------------------------------------------------------------------------------

  logic reading, writing, aw_done_q, w_done_q, ar_done_q;
  logic [2:0] step_q;
  logic [11:0] offset;
  logic [31:0] value;
  assign writing = state_q == Configure;
  assign reading = state_q == Hardware || state_q == Status || state_q == Cause || state_q == Info;

  localparam logic [2:0] LastStep = 3'd6;
  always_comb begin
    offset = '0;
    value = '0;
    unique case (state_q)
      Hardware:
      offset = step_q == 3'd0 ? tessera_isa_pkg::RegAtomicC :
          step_q == 3'd1 ? tessera_isa_pkg::RegAtomicK : tessera_isa_pkg::RegBusBytes;
      Status: offset = tessera_isa_pkg::RegStatus;
      Cause: offset = tessera_isa_pkg::RegErrorCause;
      Info: offset = tessera_isa_pkg::RegErrorInfo;
      default:
      unique case (step_q)
        3'd0: {offset, value} = {tessera_isa_pkg::RegCbufLimit, limit_q};
        3'd1: {offset, value} = {tessera_isa_pkg::RegWatchdog, watchdog_q};
        3'd2: {offset, value} = {tessera_isa_pkg::RegCommandAddress, stream_address_q};
        3'd3: {offset, value} = {tessera_isa_pkg::RegCommandBytes, stream_bytes_q};
        3'd4: {offset, value} = Checksums ? {tessera_isa_pkg::RegCommandChecksum, stream_checksum_q} :
            {tessera_isa_pkg::RegIrqEnable, 32'd1};
        3'd5: {offset, value} = {tessera_isa_pkg::RegIrqEnable, 32'd1};
        // Start, clear what was, check the stream where that is built.
        default: {offset, value} = {tessera_isa_pkg::RegControl, Checksums ? 32'd7 : 32'd3};
      endcase
    endcase
  end

  assign m_awvalid_o = writing && !aw_done_q;
  assign m_awaddr_o = offset;
  assign m_wvalid_o = writing && !w_done_q;
  assign m_wdata_o = value;
  assign m_bready_o = writing;
  assign m_arvalid_o = reading && !ar_done_q;
  assign m_araddr_o = offset;
  assign m_rready_o = reading;

  logic written, read, refused;
  assign written = writing && m_bvalid_i;
  assign read = reading && m_rvalid_i;
  assign refused = (written && m_bresp_i[1]) || (read && m_rresp_i[1]);

  logic [31:0] wanted;
  assign wanted = step_q == 3'd0 ? {24'd0, hardware_q[7:0]} :
      step_q == 3'd1 ? {24'd0, hardware_q[15:8]} : {16'd0, hardware_q[31:16]};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      done_q <= 1'b0;
      run_q <= '0;
      first_q <= '0;
      aw_done_q <= 1'b0;
      w_done_q <= 1'b0;
      ar_done_q <= 1'b0;
      step_q <= '0;
      cause_q <= '0;
      info_q <= '0;
    end else begin
      if (writing) begin
        if (m_awready_i) aw_done_q <= 1'b1;
        if (m_wready_i) w_done_q <= 1'b1;
      end
      if (reading && m_arready_i) ar_done_q <= 1'b1;
      if (written || read) begin
        aw_done_q <= 1'b0;
        w_done_q  <= 1'b0;
        ar_done_q <= 1'b0;
      end

      unique case (state_q)
        Idle, Failed:
        if (start_i) begin
          state_q <= Address;
          done_q  <= 1'b0;
          index_q <= '0;
          crc_q   <= '1;
          cause_q <= '0;
          info_q  <= '0;
          words_q <= 16'(boot_pkg::FirstRun);
          if (state_q == Failed || restart_i) run_q <= '0;
        end

        Address: state_q <= Fetch;

        Fetch: state_q <= Word;

        Word: begin
          state_q <= Address;
          index_q <= index_q + 16'd1;
          if (index_q > 16'(boot_pkg::WordChecksum)) crc_q <= crc;
          unique case (index_q)
            16'(boot_pkg::WordMagic):
            if (word_q != boot_pkg::Magic) begin
              state_q <= Failed;
              cause_q <= boot_pkg::ErrorHeader;
              info_q  <= word_q;
            end
            16'(boot_pkg::WordFormat): begin
              words_q <= word_q[31:16];
              if (word_q[15:0] != boot_pkg::Format || word_q[31:16] < 16'(boot_pkg::FirstRun + boot_pkg::RunWords)) begin
                state_q <= Failed;
                cause_q <= boot_pkg::ErrorHeader;
                info_q  <= word_q;
              end
            end
            16'(boot_pkg::WordChecksum): checksum_q <= word_q;
            16'(boot_pkg::WordHardware): hardware_q <= word_q;
            16'(boot_pkg::WordCbufLimit): limit_q <= word_q;
            16'(boot_pkg::WordWatchdog): watchdog_q <= word_q;
            16'(boot_pkg::WordRuns): {first_q, runs_q} <= word_q;
            default: ;
          endcase
          if (index_q >= 16'(boot_pkg::FirstRun)) begin
            if (place == 16'd0) stream_address_q <= word_q;
            if (place == 16'd1) stream_bytes_q <= word_q;
            if (place == 16'd2) stream_checksum_q <= word_q;
            if (place == 16'd3) stop_q <= word_q[boot_pkg::FlagStop];
          end
          if (index_q > 16'(boot_pkg::WordFormat) && index_q == words_q - 16'd1) begin
            step_q <= '0;
            if (~crc == checksum_q) begin
              state_q <= Hardware;
            end else begin
              state_q <= Failed;
              cause_q <= boot_pkg::ErrorChecksum;
              info_q  <= ~crc;
            end
          end
        end

        Hardware:
        if (read) begin
          step_q <= step_q + 3'd1;
          if (m_rdata_i != wanted) begin
            state_q <= Failed;
            cause_q <= boot_pkg::ErrorHardware;
            info_q  <= m_rdata_i;
          end else if (step_q == 3'd2) begin
            state_q <= Configure;
            step_q  <= '0;
          end
        end

        Configure:
        if (written) begin
          step_q <= step_q + 3'd1;
          if (step_q == LastStep) state_q <= Wait;
        end

        Wait: if (irq_i) state_q <= Status;

        Status:
        if (read) begin
          if (m_rdata_i[2]) begin
            state_q <= Cause;
          end else begin
            run_q <= (run_q + 16'd1 == runs_q) ? first_q : run_q + 16'd1;
            if (stop_q || run_q + 16'd1 == runs_q) begin
              state_q <= Idle;
              done_q  <= 1'b1;
            end else begin
              // The next run's words; the header is read anew, which costs little.
              state_q <= Address;
              index_q <= '0;
              crc_q   <= '1;
              words_q <= 16'(boot_pkg::FirstRun);
            end
          end
        end

        Cause:
        if (read) begin
          cause_q <= m_rdata_i[7:0];
          state_q <= Info;
        end

        default:
        if (read) begin
          info_q  <= m_rdata_i;
          state_q <= Failed;
        end
      endcase

      if (refused) begin
        state_q <= Failed;
        cause_q <= boot_pkg::ErrorRegister;
        info_q  <= {20'd0, offset};
      end
    end
  end

  assign busy_o = state_q != Idle && state_q != Failed;
  assign done_o = done_q;
  assign runs_done_o = run_q > first_q ? run_q - first_q : 16'd0;
  assign error_o = state_q == Failed;
  assign error_cause_o = cause_q;
  assign error_info_o = info_q;

  logic unused;
  assign unused = m_bresp_i[0] | m_rresp_i[0];  // SLVERR and DECERR are enough

endmodule
