/// Units are the row's bytes with its padding, each `advance` bytes behind the one before.
module tap_folder_properties #(
    parameter int unsigned InBytes = 2,
    parameter int unsigned OutBytes = 2,
    parameter int unsigned FoldBytes = 4
) (
    input logic                 clk_i,
    input logic                 active_i,
    input logic [          2:0] unit_bytes_i,
    input logic [          2:0] advance_i,
    input logic [          1:0] units_i,
    input logic [          3:0] row_bytes_i,
    input logic [          2:0] before_i,
    input logic [          2:0] after_i,
    input logic [          7:0] value_i,
    input logic                 blank_i,
    input logic                 in_valid_i,
    input logic [InBytes*8-1:0] in_data_i,
    input logic [          2:0] in_offset_i,
    input logic [          2:0] in_bytes_i,
    input logic                 in_last_i,
    input logic                 out_ready_i,
    /// The byte `lane_i` of the beat's is followed through.
    input logic                 follow_i,
    input logic [          1:0] lane_i,
    /// A byte of what leaves is looked at.
    input logic [          1:0] seen_i
);

  localparam int unsigned CountBits = $clog2(InBytes + 1);
  localparam int unsigned OutCountBits = $clog2(OutBytes + 1);
  localparam int unsigned Lanes = 1 << $clog2(OutBytes);
  logic rst_n, in_ready, out_valid, out_last, ragged;
  logic [Lanes*8-1:0] out_data, turned;
  logic [OutCountBits-1:0] out_offset, out_bytes;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  tap_folder #(
      .InBytes(InBytes),
      .OutBytes(OutBytes),
      .FoldBytes(FoldBytes)
  ) u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .active_i,
      .unit_bytes_i(7'(unit_bytes_i)),
      .advance_i(7'(advance_i)),
      .units_i(12'(units_i)),
      .row_bytes_i(24'(row_bytes_i)),
      .before_i(8'(before_i)),
      .after_i(8'(after_i)),
      .no_before_i(before_i == '0),
      .no_after_i(after_i == '0),
      .value_i,
      .blank_i,
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_data_i,
      .in_offset_i(CountBits'(in_offset_i)),
      .in_bytes_i(CountBits'(in_bytes_i)),
      .in_last_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o(out_data),
      .out_offset_o(out_offset),
      .out_bytes_o(out_bytes),
      .out_last_o(out_last),
      .ragged_o(ragged)
  );

  logic take, sent, row_out, following_q, was_last_q, started_q;
  logic [4:0] taken_q, row, base_q, place, seen_place;  // bytes of the padded row
  logic [2:0] unit_done_q, unit_left, expected;
  logic [1:0] unit_q;
  logic [4:0] target_q;
  logic [7:0] entry_q, seen;
  logic [3:0] patience_q;
  logic [22:0] sizes_q, sizes;
  assign sizes = {active_i, unit_bytes_i, advance_i, units_i, row_bytes_i[2:0], before_i, after_i, value_i[0], blank_i, value_i[3:1]};
  assign take = in_valid_i && in_ready;
  assign sent = out_valid && out_ready_i;
  assign row = 5'(before_i) + 5'(row_bytes_i) + 5'(after_i);
  assign unit_left = unit_bytes_i - unit_done_q;
  assign expected = unit_left < 3'(OutBytes) ? unit_left : 3'(OutBytes);
  assign row_out = sent && unit_left == expected && unit_q == units_i - 2'd1;
  assign place = base_q + 5'(unit_done_q);
  assign seen_place = place + 5'(seen_i);
  // Around the end.
  assign turned = (Lanes * 8)'({out_data, out_data} >> {out_offset, 3'b000});
  assign seen = 8'(turned >> {seen_i, 3'b000});

  logic [7:0] value_q;
  logic [3:0] row_bytes_q;
  always_ff @(posedge clk_i) begin
    sizes_q <= sizes;
    value_q <= value_i;
    row_bytes_q <= row_bytes_i;
    started_q <= rst_n;
    if (!rst_n) begin
      taken_q <= '0;
      base_q <= '0;
      unit_done_q <= '0;
      unit_q <= '0;
      following_q <= 1'b0;
      was_last_q <= 1'b0;
      patience_q <= '0;
    end else begin
      if (take) was_last_q <= in_last_i;
      taken_q <= row_out ? '0 : taken_q + (take ? 5'(in_bytes_i) : '0);
      if (row_out) begin
        base_q <= '0;
        unit_q <= '0;
        unit_done_q <= '0;
      end else if (sent) begin
        unit_done_q <= unit_left == expected ? '0 : unit_done_q + expected;
        if (unit_left == expected) begin
          unit_q <= unit_q + 2'd1;
          base_q <= base_q + 5'(advance_i);
        end
      end
      if (row_out) following_q <= 1'b0;
      else if (take && follow_i && !following_q) begin
        following_q <= 1'b1;
        target_q <= 5'(before_i) + taken_q + 5'(lane_i);
        entry_q <= 8'(in_data_i >> {in_offset_i + 3'(lane_i), 3'b000});
      end
      patience_q <= (take || sent || !out_ready_i || !in_valid_i) ? '0 : patience_q + 4'd1;
    end
  end

  always_comb begin
    assume (in_bytes_i != '0 && 4'(in_offset_i) + 4'(in_bytes_i) <= InBytes);
    assume (3'(lane_i) < in_bytes_i);
    assume (unit_bytes_i != '0 && unit_bytes_i <= FoldBytes && advance_i != '0 && advance_i <= FoldBytes);
    assume (units_i != '0 && row_bytes_i != '0);
    // Whole rows, as many bytes as their units.
    assume (row == 5'(units_i - 2'd1) * 5'(advance_i) + 5'(unit_bytes_i));
    assume (5'(in_bytes_i) + taken_q <= 5'(row_bytes_i) || taken_q == 5'(row_bytes_i));
    assume (!in_last_i || 5'(in_bytes_i) + taken_q == 5'(row_bytes_i) || taken_q == 5'(row_bytes_i));
    if (rst_n) begin
      if (started_q) assume (sizes_q == sizes && value_q == value_i && row_bytes_q == row_bytes_i);
      if (!active_i) begin
        passes_unchanged : assert (out_valid == in_valid_i && in_ready == out_ready_i && out_data[InBytes*8-1:0] == in_data_i &&
                                   out_offset == OutCountBits'(in_offset_i) && out_bytes == OutCountBits'(in_bytes_i) && out_last == in_last_i);
      end else begin
        if (out_valid) begin
          count_is_the_units : assert (3'(out_bytes) == expected && out_offset < OutCountBits'(Lanes));
          only_bytes_that_came : assert (place + 5'(expected) <=
              5'(before_i) + taken_q + (taken_q == 5'(row_bytes_i) ? 5'(after_i) : '0));
          if (3'(seen_i) < expected) begin
            padding_is_the_value : assert ((!blank_i && seen_place >= 5'(before_i) && seen_place < 5'(before_i) + 5'(row_bytes_i)) ||
                                           seen == value_i);
            bytes_are_the_rows : assert (!following_q || blank_i || seen_place != target_q || seen == entry_q);
          end
          last_is_true : assert (out_last == (was_last_q && unit_left == expected && unit_q == units_i - 2'd1));
        end
        never_ragged : assert (!ragged);
        no_deadlock : assert (was_last_q || patience_q < 4'd6);
      end
    end
  end

endmodule
