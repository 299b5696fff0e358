/// Commands of a single-data-rate SDRAM: initialises it, keeps a row of each bank open, refreshes,
/// and reads or writes a word per cycle within a row. Its own bursts are of one word.
///
/// All outputs to the memory are registers. Behind them are those of the pads, one on the way out and
/// one on the way in: the pads take read data CasLatency cycles after its command has left them.
module sdram_controller #(
    /// Bytes per word.
    parameter int unsigned DataBytes = 2,
    parameter int unsigned ColumnBits = 9,
    parameter int unsigned RowBits = 13,
    parameter int unsigned CasLatency = 2,
    /// Cycles: what the memory's data sheet says, rounded up.
    parameter int unsigned InitCycles = 10000,  // from power to the first command
    parameter int unsigned ActivateCycles = 1,  // tRCD
    parameter int unsigned PrechargeCycles = 1,  // tRP
    parameter int unsigned ActiveCycles = 3,  // tRAS
    parameter int unsigned RefreshCycles = 4,  // tRFC, which is tRC at least
    parameter int unsigned RecoveryCycles = 1,  // tWR
    parameter int unsigned RefreshInterval = 390,  // tREFI
    /// Derived, not to be set.
    parameter int unsigned AddressBits = RowBits + 2 + ColumnBits
) (
    input  logic                   clk_i,
    /// Synchronous reset, active low.
    input  logic                   rst_ni,
    /// Drops the request under way and what comes of it; the memory keeps what it has.
    input  logic                   flush_i,
    /// The memory is initialised.
    output logic                   ready_o,
    /// Words from an address on; of row, bank, column from the upper end.
    input  logic                   req_valid_i,
    output logic                   req_ready_o,
    input  logic                   req_write_i,
    input  logic [AddressBits-1:0] req_address_i,
    input  logic [            7:0] req_words_i,
    /// What is to be written; has to be there with the request and after each word taken.
    input  logic [DataBytes*8-1:0] w_data_i,
    input  logic [  DataBytes-1:0] w_strobe_i,
    output logic                   w_take_o,
    /// What was read, in order; cannot wait.
    output logic                   r_valid_o,
    output logic [DataBytes*8-1:0] r_data_o,
    /// The memory.
    output logic                   cke_o,
    output logic                   cs_no,
    output logic                   ras_no,
    output logic                   cas_no,
    output logic                   we_no,
    output logic [            1:0] bank_o,
    output logic [    RowBits-1:0] address_o,
    output logic [  DataBytes-1:0] mask_o,
    output logic                   drive_o,
    output logic [DataBytes*8-1:0] data_o,
    input  logic [DataBytes*8-1:0] data_i
);

  // {cs, ras, cas, we}, active low.
  typedef enum logic [3:0] {
    LoadMode  = 4'b0000,
    Refresh   = 4'b0001,
    Precharge = 4'b0010,
    Activate  = 4'b0011,
    Write     = 4'b0100,
    Read      = 4'b0101,
    Nop       = 4'b0111
  } command_t;

  localparam int unsigned ModeCycles = 2;  // tMRD
  localparam int unsigned InitRefreshes = 8;
  // Nobody drives the data lines for a cycle between a read's word and a write's.
  localparam int unsigned ReadToWrite = CasLatency + 2;
  localparam int unsigned WriteToRead = 2;
  localparam int unsigned WaitBits = $clog2(InitCycles + 1);
  localparam int unsigned IntervalBits = $clog2(RefreshInterval + 1);
  // Burst length 1, sequential, CAS latency.
  localparam logic [RowBits-1:0] Mode = RowBits'(CasLatency << 4);

  typedef enum logic [2:0] {
    Power,
    CloseAll,
    FirstRefreshes,
    SetMode,
    Serve,
    CloseForRefresh,
    DoRefresh
  } state_t;

  state_t state_q;
  logic [WaitBits-1:0] wait_q;
  logic [3:0] refreshes_q;
  logic [IntervalBits-1:0] interval_q;
  logic due_q;

  // Small times that count down from their command.
  logic [3:0] active_q, recovery_q, to_write_q, to_read_q;

  // The request under way.
  logic busy_q, write_q;
  logic [7:0] left_q;
  logic [AddressBits-1:0] address_q;
  logic [ColumnBits-1:0] column;
  logic [1:0] bank;
  logic [RowBits-1:0] row;
  assign {row, bank, column} = address_q;

  logic [3:0] open_q;
  logic [3:0][RowBits-1:0] row_q;

  command_t command;
  logic is_idle, may_close, hit, may_move, moves, last;
  assign is_idle = wait_q == '0;
  assign may_close = active_q == '0 && recovery_q == '0;
  assign hit = open_q[bank] && row_q[bank] == row;
  assign may_move = write_q ? to_write_q == '0 : to_read_q == '0;
  assign moves = state_q == Serve && is_idle && !due_q && busy_q && hit && may_move && !flush_i;
  assign last = left_q == 8'd1;

  always_comb begin
    command = Nop;
    if (is_idle) begin
      unique case (state_q)
        CloseAll: command = Precharge;
        FirstRefreshes, DoRefresh: command = Refresh;
        SetMode: command = LoadMode;
        CloseForRefresh: if (may_close) command = Precharge;
        Serve:
        if (busy_q && !due_q) begin
          if (moves) command = write_q ? Write : Read;
          else if (!open_q[bank]) command = Activate;
          else if (!hit && may_close) command = Precharge;
        end
        default: ;
      endcase
    end
  end

  assign req_ready_o = state_q == Serve && (!busy_q || (moves && last));
  assign w_take_o = moves && write_q;
  assign ready_o = state_q >= Serve;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Power;
      wait_q <= WaitBits'(InitCycles);
      refreshes_q <= '0;
      interval_q <= '0;
      due_q <= 1'b0;
      busy_q <= 1'b0;
      open_q <= '0;
      active_q <= '0;
      recovery_q <= '0;
      to_write_q <= '0;
      to_read_q <= '0;
    end else begin
      if (!is_idle) wait_q <= wait_q - 1'b1;
      if (active_q != '0) active_q <= active_q - 4'd1;
      if (recovery_q != '0) recovery_q <= recovery_q - 4'd1;
      if (to_write_q != '0) to_write_q <= to_write_q - 4'd1;
      if (to_read_q != '0) to_read_q <= to_read_q - 4'd1;

      interval_q <= interval_q + 1'b1;
      if (interval_q == IntervalBits'(RefreshInterval - 1)) begin
        interval_q <= '0;
        due_q <= ready_o;
      end

      unique case (state_q)
        Power: if (is_idle) state_q <= CloseAll;
        CloseAll: state_q <= FirstRefreshes;
        FirstRefreshes:
        if (is_idle) begin
          refreshes_q <= refreshes_q + 4'd1;
          if (refreshes_q == 4'(InitRefreshes - 1)) state_q <= SetMode;
        end
        SetMode: if (is_idle) state_q <= Serve;
        Serve: if (due_q && is_idle) state_q <= CloseForRefresh;
        CloseForRefresh: if (command == Precharge) state_q <= DoRefresh;
        default:
        if (is_idle) begin
          state_q <= Serve;
          due_q   <= 1'b0;
        end
      endcase

      unique case (command)
        Precharge: begin
          wait_q <= WaitBits'(PrechargeCycles - 1);
          if (state_q == Serve) open_q[bank] <= 1'b0;
          else open_q <= '0;
        end
        Refresh: wait_q <= WaitBits'(RefreshCycles - 1);
        LoadMode: wait_q <= WaitBits'(ModeCycles - 1);
        Activate: begin
          wait_q <= WaitBits'(ActivateCycles - 1);
          active_q <= 4'(ActiveCycles - 1);
          open_q[bank] <= 1'b1;
          row_q[bank] <= row;
        end
        Write: begin
          recovery_q <= 4'(RecoveryCycles);
          to_read_q  <= 4'(WriteToRead - 1);
        end
        Read: to_write_q <= 4'(ReadToWrite - 1);
        default: ;
      endcase

      if (moves) begin
        left_q <= left_q - 8'd1;
        address_q <= address_q + 1'b1;
        if (last) busy_q <= 1'b0;
      end
      if (req_valid_i && req_ready_o) begin
        busy_q <= 1'b1;
        write_q <= req_write_i;
        address_q <= req_address_i;
        left_q <= req_words_i;
      end
      if (flush_i) busy_q <= 1'b0;
    end
  end

  // The pins -----------------------------------------------------------------------------------

  localparam int unsigned ReadStages = CasLatency + 3;  // with the pads' registers and r_data_o
  logic [ReadStages-1:0] reading_q;
  logic [RowBits-1:0] lines;
  always_comb begin
    lines = row;
    if (command == Read || command == Write) lines = RowBits'(column);
    if (command == Precharge) lines = RowBits'(state_q == Serve ? 0 : 1 << 10);
    if (command == LoadMode) lines = Mode;
  end

  // No command before the clock is stable.
  initial begin
    cke_o = 1'b0;
    {cs_no, ras_no, cas_no, we_no} = Nop;
    drive_o = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    cke_o <= rst_ni;
    {cs_no, ras_no, cas_no, we_no} <= rst_ni ? command : Nop;
    bank_o <= (command == LoadMode) ? 2'd0 : bank;
    address_o <= lines;
    mask_o <= (command == Write) ? ~w_strobe_i : '0;
    drive_o <= rst_ni && command == Write;
    data_o <= w_data_i;
    reading_q <= (rst_ni && !flush_i) ? {reading_q[ReadStages-2:0], command == Read} : '0;
    r_data_o <= data_i;
  end
  assign r_valid_o = reading_q[ReadStages-1];

endmodule
