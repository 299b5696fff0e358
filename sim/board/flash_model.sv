// A serial flash as far as its data sheet says what a reader may do: release from power-down (ABh), fast read dual I/O (BBh), SPI mode 0.
// It begins asleep, as the configuration of a chip leaves it. What it holds the simulation's program says.
module flash_model #(
    // Of clk_i, which only counts the time.
    parameter int unsigned ClockPs = 41667,
    parameter int unsigned WakePs = 3000000
) (
    input  logic       clk_i,
    input  logic       cs_ni,
    input  logic       sck_i,
    // The lines as they are, and what it puts there.
    input  logic [1:0] io_i,
    output logic [1:0] io_o,
    output logic       drive_o,
    // The first rule that was broken, 0: none.
    // 17: a command that it does not have, 18: a read while it sleeps, 19: a read before it is awake, 20: lines driven from both sides.
    output logic [7:0] broken_o
);

  import "DPI-C" function byte unsigned tessera_flash_byte(input int unsigned address);

  localparam logic [7:0] WakeUp = 8'hAB;
  localparam logic [7:0] FastReadDual = 8'hBB;
  localparam int unsigned WakeCycles = (WakePs + ClockPs - 1) / ClockPs;

  logic [5:0] count_q = '0;  // pulses since it was selected, up to the first of the data
  logic [7:0] command_q = '0;
  logic [23:0] address_q = '0;
  logic [1:0] pair_q = '0;
  logic drive_q = 1'b0;
  logic asleep_q = 1'b1;
  int unsigned awake_q = 0;  // cycles since it was woken
  logic [7:0] broken_q = '0;

  logic [7:0] command;
  assign command = {command_q[6:0], io_i[0]};

  function automatic logic [1:0] pair_of(input logic [23:0] address, input logic [1:0] pair);
    logic [7:0] value;
    value = tessera_flash_byte(32'(address));
    pair_of = value[2*(3-pair)+:2];
  endfunction

  // Rules --------------------------------------------------------------------------------------------
  logic [7:0] found;
  always_comb begin
    found = '0;
    if (count_q == 6'd7) begin
      if (command != WakeUp && command != FastReadDual) found = 8'd17;
      else if (command == FastReadDual && asleep_q) found = 8'd18;
      else if (command == FastReadDual && awake_q < WakeCycles) found = 8'd19;
    end
    if (drive_q && io_i != io_o) found = 8'd20;
  end

  always_ff @(posedge sck_i) begin
    if (!cs_ni && broken_q == '0) broken_q <= found;
  end

  // What comes ---------------------------------------------------------------------------------------
  always_ff @(posedge sck_i or posedge cs_ni) begin
    if (cs_ni) begin
      count_q <= '0;
    end else begin
      if (count_q != 6'd24) count_q <= count_q + 6'd1;
      if (count_q < 6'd8) command_q <= command;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cs_ni && command_q == WakeUp) asleep_q <= 1'b0;
    if (!asleep_q) awake_q <= awake_q + 1;
  end

  // What leaves, on the falling edges behind the mode's byte -------------------------------------------
  logic [1:0] out_q = '0;
  always_ff @(posedge sck_i) begin
    if (!cs_ni && count_q >= 6'd8 && count_q < 6'd20) address_q <= {address_q[21:0], io_i};
    else if (drive_q && pair_q == 2'd3) address_q <= address_q + 24'd1;
  end
  always_ff @(negedge sck_i or posedge cs_ni) begin
    if (cs_ni) begin
      drive_q <= 1'b0;
      pair_q  <= '0;
    end else if (count_q == 6'd24 && command_q == FastReadDual) begin
      drive_q <= 1'b1;
      out_q   <= pair_of(address_q, drive_q ? pair_q + 2'd1 : 2'd0);
      pair_q  <= drive_q ? pair_q + 2'd1 : 2'd0;
    end
  end

  assign io_o = out_q;
  assign drive_o = drive_q;
  assign broken_o = broken_q;

endmodule
