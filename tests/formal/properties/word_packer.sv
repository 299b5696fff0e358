/// Words are the beats, in order; a burst's end is known.
module word_packer_properties #(
    parameter int unsigned BusBytes = 4
) (
    input logic                  clk_i,
    input logic                  in_valid_i,
    input logic [BusBytes*8-1:0] in_data_i,
    input logic                  in_last_i
);

  localparam int unsigned Beats = 8 / BusBytes;
  logic rst_n, in_ready, out_valid, done;
  logic [63:0] word;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  word_packer #(
      .BusBytes(BusBytes)
  ) u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_data_i,
      .in_last_i,
      .out_valid_o(out_valid),
      .out_data_o(word),
      .done_o(done)
  );

  logic [63:0] expected_q;
  logic [2:0] beats_q;
  logic complete_q, last_q, take;
  assign take = in_valid_i && in_ready;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      beats_q <= '0;
      complete_q <= 1'b0;
      last_q <= 1'b0;
    end else begin
      complete_q <= take && beats_q == 3'(Beats - 1);
      last_q <= take && in_last_i;
      if (take) begin
        beats_q <= beats_q == 3'(Beats - 1) ? '0 : beats_q + 1'b1;
        expected_q <= (expected_q & ~(64'({BusBytes{8'hff}}) << (beats_q * BusBytes * 8))) | (64'(in_data_i) << (beats_q * BusBytes * 8));
      end
    end
  end

  always_comb begin
    assume (!in_last_i || beats_q == 3'(Beats - 1));
    if (rst_n) begin
      nothing_lost_or_doubled : assert (out_valid == complete_q);
      order_kept : assert (!out_valid || word == expected_q);
      done_is_true : assert (done == last_q);
      no_deadlock : assert (in_ready == !last_q);
    end
  end

endmodule
