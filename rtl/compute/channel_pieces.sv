/// Walks the channels of depthwise convolutions piece by piece: what lies in one cbuf atom and in one
/// kernel group. Where both have as many channels, each group is one piece.
module channel_pieces #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8
) (
    input  logic       clk_i,
    /// Begins at a byte of an atom.
    input  logic       start_i,
    input  logic [5:0] byte_i,
    /// These hold while a group is walked; not depthwise: each group is one piece.
    input  logic       depthwise_i,
    input  logic [6:0] group_end_i,
    /// The next piece.
    input  logic       advance_i,
    /// Lanes of the piece: from the first to before the end.
    output logic [6:0] lane_o,
    output logic [6:0] lane_end_o,
    /// The piece is the last of its group, or reaches its atom's end.
    output logic       group_last_o,
    output logic       atom_last_o,
    /// The atom's byte for lane 0 of the group, modulo AtomicC.
    output logic [5:0] rotate_o
);

  if (AtomicC == AtomicK) begin : gen_one
    assign lane_o = '0;
    assign lane_end_o = group_end_i;
    assign group_last_o = 1'b1;
    assign atom_last_o = depthwise_i;
    assign rotate_o = '0;
    logic unused;
    assign unused = ^{clk_i, start_i, byte_i, advance_i};
  end else begin : gen_several
    localparam int unsigned Step = AtomicK % AtomicC;

    logic [6:0] lane_q, byte_q, rotate_q, room, left, taken, next_byte, next_rotate;
    assign room = 7'(AtomicC) - byte_q;
    assign left = group_end_i - lane_q;
    assign group_last_o = !depthwise_i || left <= room;
    assign taken = group_last_o ? left : room;
    assign atom_last_o = depthwise_i && taken == room;
    assign lane_o = lane_q;
    assign lane_end_o = lane_q + taken;
    assign rotate_o = rotate_q[5:0];
    assign next_byte = atom_last_o ? '0 : byte_q + taken;
    assign next_rotate = rotate_q + 7'(Step);

    always_ff @(posedge clk_i) begin
      if (start_i) begin
        lane_q <= '0;
        byte_q <= 7'(byte_i);
        rotate_q <= 7'(byte_i);
      end else if (advance_i) begin
        lane_q <= group_last_o ? '0 : lane_end_o;
        if (depthwise_i) byte_q <= next_byte;
        if (group_last_o) begin
          rotate_q <= (next_rotate >= 7'(AtomicC)) ? next_rotate - 7'(AtomicC) : next_rotate;
        end
      end
    end
  end

endmodule
