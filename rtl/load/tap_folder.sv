/// Turns rows of pixels into rows of windows: each unit is `unit_bytes_i` bytes of the row, the next
/// one begins `advance_i` bytes later, so that the horizontal taps of a convolution lie side by side.
/// A row begins and ends with bytes of padding. Without `active_i` beats pass unchanged.
module tap_folder #(
    /// Bytes per beat that comes, and per beat that goes: at least as many.
    parameter int unsigned InBytes = 8,
    parameter int unsigned OutBytes = 16,
    /// Most bytes per unit and advance.
    parameter int unsigned FoldBytes = 64,
    /// Derived, not to be set.
    parameter int unsigned Lanes = 1 << $clog2(OutBytes),
    parameter int unsigned CountBits = $clog2(InBytes + 1),
    parameter int unsigned OutCountBits = $clog2(OutBytes + 1)
) (
    input  logic                 clk_i,
    /// Synchronous reset, active low: drops what is held. Also between transfers.
    input  logic                 rst_ni,
    /// These must hold from the first beat of a transfer to its end.
    input  logic                 active_i,
    input  logic [          6:0] unit_bytes_i,
    input  logic [          6:0] advance_i,
    input  logic [         11:0] units_i,
    /// At least one.
    input  logic [         23:0] row_bytes_i,
    input  logic [          7:0] before_i,
    input  logic [          7:0] after_i,
    /// There is none of these.
    input  logic                 no_before_i,
    input  logic                 no_after_i,
    input  logic [          7:0] value_i,
    /// Nothing but padding: the bytes that arrive are replaced.
    input  logic                 blank_i,
    /// Beats, each inside one row: `in_bytes_i` bytes from byte `in_offset_i` on; `in_last_i`: the
    /// transfer's last.
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  logic [InBytes*8-1:0] in_data_i,
    input  logic [CountBits-1:0] in_offset_i,
    input  logic [CountBits-1:0] in_bytes_i,
    input  logic                 in_last_i,
    /// Beats of units: `out_bytes_o` bytes from byte `out_offset_o` on, around the end. Whoever takes them turns them anyway.
    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output logic [  Lanes*8-1:0] out_data_o,
    output logic [OutCountBits-1:0] out_offset_o,
    output logic [OutCountBits-1:0] out_bytes_o,
    output logic                 out_last_o,
    /// A row has more or fewer bytes than its units.
    output logic                 ragged_o
);

  // A beat more than is needed: whether there is room depends on nothing that happens in the same cycle.
  localparam int unsigned HoldBytes = FoldBytes + 2 * InBytes;
  localparam int unsigned HoldBits = $clog2(HoldBytes + 1);
  localparam int unsigned Steps = (FoldBytes + OutBytes - 1) / OutBytes;
  localparam int unsigned InPlaceBits = (InBytes > 1) ? $clog2(InBytes) : 1;
  localparam int unsigned StepBits = (Steps > 1) ? $clog2(Steps) : 1;

  // The ring that holds them.
  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned PlaceBits = LaneBits +
      $clog2((HoldBytes + Lanes - 1) / Lanes);
  logic [PlaceBits-1:0] first_q, free_q;
  logic [HoldBits-1:0] count_q;
  logic [StepBits-1:0] step_q;  // beat of the unit
  logic [11:0] unit_q;  // from 1 on
  logic [8:0] before_q, after_q;  // padding written so far
  logic [23:0] data_q;  // bytes of the row taken so far
  logic last_q;

  // What the next cycle compares is compared in this one. A transfer's first cycle has no unit to give and no whole row:
  // what the one before it left there is not asked for.
  logic [HoldBits-1:0] need_q;  // bytes held that a unit takes to leave
  logic last_unit_q, last_step_q, data_done_q, after_done_q;
  logic [OutCountBits-1:0] step_bytes_q;
  logic [PlaceBits-1:0] place_q;  // of the unit's beat

  logic before_done_q, before_done, after_done, row_in;
  assign before_done = before_done_q || no_before_i;
  assign after_done = after_done_q || no_after_i;
  assign row_in = before_done && data_done_q && after_done;

  // Units out.
  logic ready, emit, drop;
  logic [HoldBits-1:0] dropped, kept;
  assign ready = count_q >= need_q;
  assign emit = active_i && ready && out_ready_i;
  assign drop = emit && last_step_q;
  assign dropped = last_unit_q ? count_q : HoldBits'(advance_i);
  assign kept = drop ? count_q - dropped : count_q;

  // Bytes in: padding, data, padding.
  logic room, pad, take;
  logic [8:0] padded, padding;
  logic [CountBits-1:0] pad_bytes, in_bytes;
  logic [InBytes*8-1:0] in_data;
  assign room = count_q <= HoldBits'(FoldBytes + InBytes);
  assign pad = room && (!before_done || (data_done_q && !after_done));
  // Whole beats as long as there are any.
  assign padded = before_done ? after_q : before_q;
  assign padding = before_done ? 9'(after_i) : 9'(before_i);
  assign pad_bytes = (padded / 9'(InBytes) == padding / 9'(InBytes)) ? CountBits'(padding % 9'(InBytes)) : CountBits'(InBytes);
  assign take = active_i && in_valid_i && in_ready_o;
  // Beats come between the paddings: what is written waits for no beat, only whether it is.
  logic data_phase;
  assign data_phase = before_done && !data_done_q;
  assign in_data = (data_phase && !blank_i) ? in_data_i : {InBytes{value_i}};
  assign in_bytes = data_phase ? in_bytes_i : pad_bytes;

  logic [Lanes*8-1:0] unit_data;
  byte_ring #(
      .Bytes(HoldBytes),
      .InBytes(InBytes),
      .OutBytes(OutBytes),
      .Straight(1'b0)
  ) u_ring (
      .clk_i,
      .write_i(active_i && (take || pad)),
      .in_place_i(free_q),
      .in_data_i(in_data),
      .in_offset_i(data_phase ? in_offset_i[InPlaceBits-1:0] : '0),
      .in_bytes_i(in_bytes),
      .out_place_i(place_q),
      .out_data_o(unit_data)
  );

  logic row_out;
  assign row_out = drop && last_unit_q;

  assign ragged_o = active_i &&
      ((row_out && !(row_in && count_q == HoldBits'(unit_bytes_i))) || (row_in && !ready));

  logic [PlaceBits-1:0] next_first;
  logic [StepBits-1:0] next_step;
  logic [11:0] next_unit;
  logic [23:0] next_data;
  logic [8:0] next_after;
  logic next_last_unit, next_data_done, next_after_done;
  always_comb begin
    next_first = first_q + PlaceBits'(drop ? dropped : '0);
    next_step = !emit ? step_q : last_step_q ? '0 : step_q + StepBits'(1);
    next_unit = !drop ? unit_q : last_unit_q ? 12'd1 : unit_q + 12'd1;
    next_data = take ? data_q + 24'(in_bytes_i) : data_q;
    next_after = (pad && before_done) ? after_q + 9'(pad_bytes) : after_q;
    // Compared whether or not there is one; padding ends with a part of a beat, or a whole one.
    next_data_done = take ? data_q + 24'(in_bytes_i) >= row_bytes_i : data_done_q;
    next_after_done = (pad && before_done) ? after_q + 9'(InBytes) >= 9'(after_i) : after_done_q;
    // The next row begins when this one is out.
    if (row_out) begin
      next_data  = '0;
      next_after = '0;
      next_data_done = 1'b0;
      next_after_done = 1'b0;
    end
    next_last_unit = next_unit == units_i;
  end

  logic [HoldBits-1:0] done_bytes, left_bytes;
  assign done_bytes = HoldBits'(compute_pkg::times(20'(next_step), 9'(OutBytes)));
  assign left_bytes = HoldBits'(unit_bytes_i) - done_bytes;

  always_ff @(posedge clk_i) begin
    last_unit_q <= next_last_unit;
    need_q <= !active_i ? '1 :
        (next_last_unit || advance_i < unit_bytes_i) ? HoldBits'(unit_bytes_i) : HoldBits'(advance_i);
    last_step_q <= left_bytes <= HoldBits'(OutBytes);
    step_bytes_q <= (left_bytes <= HoldBits'(OutBytes)) ? OutCountBits'(left_bytes) : OutCountBits'(OutBytes);
    place_q <= next_first + PlaceBits'(done_bytes);
    if (!rst_ni) begin
      first_q <= '0;
      free_q <= '0;
      count_q <= '0;
      step_q <= '0;
      unit_q <= 12'd1;
      before_q <= '0;
      after_q <= '0;
      data_q <= '0;
      last_q <= 1'b0;
      data_done_q <= 1'b0;
      before_done_q <= 1'b0;
      after_done_q <= 1'b0;
      need_q <= '1;
    end else if (active_i) begin
      count_q <= (take || pad) ? kept + HoldBits'(in_bytes) : kept;
      if (take || pad) free_q <= free_q + PlaceBits'(in_bytes);
      first_q <= next_first;
      data_q <= next_data;
      data_done_q <= next_data_done;
      if (take) last_q <= in_last_i;
      if (row_out) begin
        before_q <= '0;
        before_done_q <= 1'b0;
      end else if (pad && !before_done) begin
        before_q <= before_q + 9'(pad_bytes);
        before_done_q <= before_q + 9'(InBytes) >= 9'(before_i);
      end
      after_q <= next_after;
      after_done_q <= next_after_done;
      step_q <= next_step;
      unit_q <= next_unit;
    end
  end

  assign in_ready_o = active_i ? room && data_phase && !last_q : out_ready_i;
  assign out_valid_o = active_i ? ready : in_valid_i;
  assign out_data_o = active_i ? unit_data : (Lanes * 8)'(in_data_i);
  assign out_offset_o = active_i ? OutCountBits'(place_q[LaneBits-1:0]) : OutCountBits'(in_offset_i);
  assign out_bytes_o = active_i ? step_bytes_q : OutCountBits'(in_bytes_i);
  assign out_last_o = active_i ? last_q && last_unit_q && last_step_q && row_in : in_last_i;

endmodule
