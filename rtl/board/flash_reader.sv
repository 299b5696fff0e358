/// Reads words from a serial flash that has the usual commands (release from power-down ABh, fast read dual I/O BBh), over two lines, a
/// pulse of its clock per cycle. The clock is pulsed in the second half of each cycle in which sck_o says so.
///
/// Wakes the flash after a reset: configuration logic leaves it asleep.
module flash_reader #(
    parameter int unsigned WordBytes = 4,
    /// From the wake-up to the first read (tRES1).
    parameter int unsigned WakeCycles = 96
) (
    input  logic                   clk_i,
    /// Synchronous reset, active low.
    input  logic                   rst_ni,
    /// It may be asked.
    output logic                   ready_o,
    /// Begins to read words from an address on, when ready and not busy; words come until the one that is taken as the last one.
    input  logic                   start_i,
    input  logic [           23:0] address_i,
    output logic                   busy_o,
    output logic                   valid_o,
    input  logic                   take_i,
    input  logic                   last_i,
    output logic [WordBytes*8-1:0] data_o,
    /// The flash.
    output logic                   cs_no,
    output logic                   sck_o,
    output logic                   drive_o,
    output logic [            1:0] io_o,
    input  logic [            1:0] io_i
);

  localparam logic [7:0] WakeUp = 8'hAB;
  localparam logic [7:0] FastReadDual = 8'hBB;
  localparam int unsigned CommandPulses = 8;
  localparam int unsigned AddressPulses = 16;  // with the mode's byte, which says that the next read begins with a command again
  localparam int unsigned WordPulses = WordBytes * 4;
  localparam int unsigned CountBits = $clog2(WakeCycles + 1);

  typedef enum logic [2:0] {
    Sleep,
    Wake,  // the flash takes a while
    Idle,
    Command,
    Address,
    Word,
    Full
  } state_t;
  state_t state_q;
  logic awake_q;  // otherwise the command is the one that wakes
  logic [CountBits-1:0] count_q;
  // What is sent leaves at the upper end, what comes enters at the lower one.
  localparam int unsigned ShiftBits = (WordBytes > 4) ? WordBytes * 8 : 32;
  logic [ShiftBits-1:0] shift_q;
  logic [7:0] command_q;

  function automatic logic reaches(input int unsigned pulses);
    reaches = count_q == CountBits'(pulses - 1);
  endfunction

  always_ff @(posedge clk_i) begin
    count_q <= count_q + 1'b1;
    if (!rst_ni) begin
      state_q <= Sleep;
      awake_q <= 1'b0;
    end else begin
      unique case (state_q)
        Sleep: begin
          state_q <= Command;
          count_q <= '0;
        end
        Wake: if (reaches(WakeCycles)) state_q <= Idle;
        Idle: begin
          awake_q <= 1'b1;
          count_q <= '0;
          if (start_i) state_q <= Command;
        end
        Command:
        if (reaches(CommandPulses)) begin
          count_q <= '0;
          state_q <= awake_q ? Address : Wake;
        end
        Address:
        if (reaches(AddressPulses)) begin
          count_q <= '0;
          state_q <= Word;
        end
        Word: if (reaches(WordPulses)) state_q <= Full;
        default: begin
          count_q <= '0;
          if (take_i) state_q <= last_i ? Idle : Word;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    command_q <= (state_q == Command) ? {command_q[6:0], 1'b0} : awake_q ? FastReadDual : WakeUp;
    if (state_q == Idle) shift_q[ShiftBits-1-:32] <= {address_i, 8'd0};
    else if (state_q == Address || state_q == Word) shift_q <= {shift_q[ShiftBits-3:0], io_i};
  end

  assign ready_o = awake_q;
  assign busy_o = state_q != Idle;
  assign valid_o = state_q == Full;
  for (genvar i = 0; i < WordBytes; i++) begin : gen_byte
    assign data_o[8*i+:8] = shift_q[8*(WordBytes-1-i)+:8];
  end

  assign cs_no = state_q == Sleep || state_q == Wake || state_q == Idle;
  assign sck_o = state_q == Command || state_q == Address || state_q == Word;
  assign drive_o = state_q == Command || state_q == Address;
  assign io_o = (state_q == Command) ? {1'b1, command_q[7]} : shift_q[ShiftBits-1-:2];

endmodule
