/// The beats are those of the bursts that were asked for.
module burst_beats_properties #(
    parameter int unsigned BusBytes = 4,
    parameter int unsigned Outstanding = 2
) (
    input logic                        clk_i,
    input logic                        burst_valid_i,
    input logic [$clog2(BusBytes)-1:0] burst_offset_i,
    input logic [                 4:0] burst_bytes_i,
    input logic                        burst_last_i,
    input logic                        beat_i
);

  localparam int unsigned CountBits = $clog2(BusBytes + 1);
  logic rst_n, ready, last, empty;
  logic [CountBits-1:0] offset, count;
  logic [BusBytes-1:0] strobe;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  burst_beats #(
      .BusBytes(BusBytes),
      .Outstanding(Outstanding)
  ) u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .burst_valid_i,
      .burst_ready_o(ready),
      .burst_offset_i,
      .burst_bytes_i(13'(burst_bytes_i)),
      .burst_last_i,
      .beat_i,
      .beat_offset_o(offset),
      .beat_bytes_o(count),
      .beat_strobe_o(strobe),
      .beat_last_o(last),
      .empty_o(empty)
  );

  logic valid, is_final, marked;
  logic [4:0] expected_offset, expected_count;
  logic [BusBytes-1:0] expected_strobe;
  burst_model #(
      .BusBytes(BusBytes),
      .Depth(2 * Outstanding)
  ) u_model (
      .clk_i,
      .rst_ni(rst_n),
      .push_i(burst_valid_i && ready),
      .offset_i(burst_offset_i),
      .bytes_i(burst_bytes_i),
      .last_i(burst_last_i),
      .beat_i,
      .valid_o(valid),
      .offset_o(expected_offset),
      .count_o(expected_count),
      .strobe_o(expected_strobe),
      .final_o(is_final),
      .marked_o(marked)
  );

  always_comb begin
    assume (burst_bytes_i != '0 && burst_bytes_i <= 5'd15);
    if (rst_n) begin
      assume (!beat_i || !empty);
      nothing_lost_or_doubled : assert (empty == !valid);
      if (valid) begin
        offset_is_true : assert (5'(offset) == expected_offset);
        count_is_true : assert (5'(count) == expected_count);
        strobe_is_true : assert (strobe == expected_strobe);
        last_is_true : assert (last == (is_final && marked));
      end
      no_deadlock : assert (ready || !empty);
    end
  end

endmodule
