/// What goes in comes out, once, in order; full and empty are true.
module sync_fifo_properties #(
    parameter int unsigned Width = 2,
    parameter int unsigned Depth = 4
) (
    input logic             clk_i,
    input logic             push_i,
    input logic [Width-1:0] data_i,
    input logic             pop_i,
    /// The entry that is pushed now is followed through.
    input logic             follow_i
);

  logic rst_n, full, empty;
  logic [Width-1:0] data;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  sync_fifo #(
      .Width(Width),
      .Depth(Depth)
  ) u_dut (
      .clk_i,
      .rst_ni (rst_n),
      .push_i,
      .data_i,
      .full_o (full),
      .pop_i,
      .data_o (data),
      .empty_o(empty)
  );

  localparam int unsigned Bits = $clog2(Depth + 2);
  logic [Bits-1:0] held_q, ahead_q;
  logic following_q;
  logic [Width-1:0] entry_q;
  logic push, pop;
  assign push = push_i && !full;
  assign pop  = pop_i && !empty;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      held_q <= '0;
      following_q <= 1'b0;
    end else begin
      held_q <= held_q + Bits'(push) - Bits'(pop);
      if (following_q) begin
        if (pop) begin
          ahead_q <= ahead_q - 1'b1;
          following_q <= ahead_q != '0;
        end
      end else if (push && follow_i) begin
        following_q <= 1'b1;
        ahead_q <= held_q - Bits'(pop);
        entry_q <= data_i;
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      nothing_lost_or_doubled : assert (empty == (held_q == '0));
      order_kept : assert (!following_q || ahead_q != '0 || data == entry_q);
      full_only_with_all_entries : assert (!full || held_q >= Bits'(Depth));
    end
  end

endmodule
