/// A single-data-rate SDRAM as its data sheet describes it: bytes, and every rule of time that a
/// controller has to keep. What a rule forbids is reported, with the first one that was broken.
module sdram_model #(
    parameter int unsigned DataBytes = 2,
    parameter int unsigned ColumnBits = 9,
    parameter int unsigned RowBits = 13,
    /// The clock's period and what the data sheet asks for, in picoseconds.
    parameter int unsigned ClockPs = 20000,
    parameter int unsigned PowerUpPs = 100000000,
    parameter int unsigned RcdPs = 20000,
    parameter int unsigned RpPs = 20000,
    parameter int unsigned RasPs = 44000,
    parameter int unsigned RcPs = 66000,
    parameter int unsigned RfcPs = 66000,
    parameter int unsigned RrdPs = 15000,
    parameter int unsigned WrPs = 15000,
    /// Average time from one refresh to the next, of which eight may be late together.
    parameter int unsigned RefiPs = 7812500,
    /// Shortest period with a CAS latency of 2.
    parameter int unsigned Cas2Ps = 10000
) (
    input  logic                   clk_i,
    input  logic                   cke_i,
    input  logic                   cs_ni,
    input  logic                   ras_ni,
    input  logic                   cas_ni,
    input  logic                   we_ni,
    input  logic [            1:0] bank_i,
    input  logic [    RowBits-1:0] address_i,
    input  logic [  DataBytes-1:0] mask_i,
    input  logic [DataBytes*8-1:0] data_i,
    output logic [DataBytes*8-1:0] data_o,
    output logic                   drive_o,
    /// 0, or the number of the first rule that was broken.
    output logic [            7:0] broken_o
);

  typedef enum logic [7:0] {
    Fine            = 8'd0,
    PowerUp         = 8'd1,   // a command before the power is stable
    Uninitialised   = 8'd2,   // activated before precharge, two refreshes and the mode
    ActivateOpen    = 8'd3,   // activated a bank that is open
    AfterPrecharge  = 8'd4,   // tRP
    ActivateToSame  = 8'd5,   // tRC
    ActivateToOther = 8'd6,   // tRRD
    AfterRefresh    = 8'd7,   // tRFC
    AfterActivate   = 8'd8,   // tRCD
    Closed          = 8'd9,   // read or write of a closed bank
    PrechargeEarly  = 8'd10,  // tRAS
    WriteRecovery   = 8'd11,  // tWR
    RefreshOpen     = 8'd12,  // refreshed with a bank open
    RefreshLate     = 8'd13,
    BadMode         = 8'd14,  // not burst length 1, or a CAS latency that the clock is too fast for
    Contention      = 8'd15,  // written while read data is on the lines
    AfterMode       = 8'd16   // tMRD
  } rule_t;

  localparam int unsigned Words = 4 << (RowBits + ColumnBits);
  logic [DataBytes*8-1:0] cells[Words];

  longint now_q = 0;
  longint precharged_q[4] = '{default: -1000000};
  longint activated_q[4] = '{default: -1000000};
  longint written_q[4] = '{default: -1000000};
  longint any_activated_q = -1000000, refreshed_q = -1000000, mode_q = -1000000;
  logic [3:0] open_q = '0;
  logic [RowBits-1:0] row_q[4];
  int refreshes_q = 0;
  logic precharged_all_q = 1'b0, mode_set_q = 1'b0;
  int latency_q = 2;
  rule_t broken_q = Fine;

  // Read data on its way: a word per cycle.
  logic [2:0] reading_q = '0;
  logic [2:0][DataBytes*8-1:0] word_q;

  function automatic logic too_early(longint since, int unsigned ps);
    return (now_q - since) * longint'(ClockPs) < longint'(ps);
  endfunction

  task automatic check(logic fails, rule_t rule);
    if (fails && broken_q == Fine) broken_q = rule;
  endtask

  int unsigned place;
  always @(posedge clk_i) begin
    now_q = now_q + 1;
    reading_q = {reading_q[1:0], 1'b0};
    word_q[2] = word_q[1];
    word_q[1] = word_q[0];
    if (mode_set_q) begin
      check((now_q - refreshed_q) * longint'(ClockPs) > 9 * longint'(RefiPs), RefreshLate);
    end
    if (cke_i && !cs_ni && {ras_ni, cas_ni, we_ni} != 3'b111) begin
      check(now_q * longint'(ClockPs) < longint'(PowerUpPs), PowerUp);
      check(too_early(refreshed_q, RfcPs), AfterRefresh);
      check(now_q - mode_q < 2, AfterMode);
      unique case ({ras_ni, cas_ni, we_ni})
        3'b000: begin  // mode
          check(open_q != '0, RefreshOpen);
          for (int b = 0; b < 4; b++) check(too_early(precharged_q[b], RpPs), AfterPrecharge);
          latency_q = int'(address_i[6:4]);
          check(address_i[3:0] != 4'd0 || !(latency_q == 2 || latency_q == 3) ||
                (latency_q == 2 && ClockPs < Cas2Ps), BadMode);
          mode_q = now_q;
          mode_set_q = precharged_all_q && refreshes_q >= 2;
        end
        3'b001: begin  // refresh
          check(open_q != '0, RefreshOpen);
          for (int b = 0; b < 4; b++) check(too_early(precharged_q[b], RpPs), AfterPrecharge);
          refreshed_q = now_q;
          refreshes_q = refreshes_q + 1;
        end
        3'b010: begin  // precharge
          for (int b = 0; b < 4; b++) begin
            if ((address_i[10] || bank_i == 2'(b)) && open_q[b]) begin
              check(too_early(activated_q[b], RasPs), PrechargeEarly);
              check(too_early(written_q[b], WrPs), WriteRecovery);
            end
            if (address_i[10] || bank_i == 2'(b)) begin
              open_q[b] = 1'b0;
              precharged_q[b] = now_q;
            end
          end
          if (address_i[10]) precharged_all_q = 1'b1;
        end
        3'b011: begin  // activate
          check(!mode_set_q, Uninitialised);
          check(open_q[bank_i], ActivateOpen);
          check(too_early(precharged_q[bank_i], RpPs), AfterPrecharge);
          check(too_early(activated_q[bank_i], RcPs), ActivateToSame);
          check(too_early(any_activated_q, RrdPs), ActivateToOther);
          open_q[bank_i] = 1'b1;
          row_q[bank_i] = address_i;
          activated_q[bank_i] = now_q;
          any_activated_q = now_q;
        end
        3'b100, 3'b101: begin  // write, read
          check(!open_q[bank_i], Closed);
          check(too_early(activated_q[bank_i], RcdPs), AfterActivate);
          place = int'({row_q[bank_i], bank_i, address_i[ColumnBits-1:0]});
          if (we_ni) begin
            reading_q[0] = 1'b1;
            word_q[0] = cells[place];
          end else begin
            // The word that is on the lines, and those that still come.
            check(drive_o || reading_q[1], Contention);
            for (int b = 0; b < DataBytes; b++) begin
              if (!mask_i[b]) cells[place][8*b+:8] = data_i[8*b+:8];
            end
            written_q[bank_i] = now_q;
          end
        end
        default: ;  // burst stop
      endcase
    end
    drive_o <= reading_q[latency_q-1];
    data_o <= word_q[latency_q-1];
  end

  assign broken_o = broken_q;

endmodule
