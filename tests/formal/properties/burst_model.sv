/// Bursts in the order in which they were asked for, and the beat that comes next.
module burst_model #(
    parameter int unsigned BusBytes = 4,
    parameter int unsigned Depth = 8
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        push_i,
    input  logic [$clog2(BusBytes)-1:0] offset_i,
    input  logic [                 4:0] bytes_i,
    input  logic                        last_i,
    input  logic                        beat_i,
    output logic                        valid_o,
    output logic [                 4:0] offset_o,
    output logic [                 4:0] count_o,
    output logic [        BusBytes-1:0] strobe_o,
    /// The burst's last beat, and whether the burst was marked.
    output logic                        final_o,
    output logic                        marked_o
);

  localparam int unsigned Bits = $clog2(Depth);
  logic [4:0] offsets[Depth], bytes[Depth];
  logic marks[Depth];
  logic [Bits-1:0] first_q, free_q;
  logic [4:0] done_q;  // bytes of the first burst that are through

  logic [4:0] left, room;
  assign valid_o = first_q != free_q;
  assign offset_o = done_q == '0 ? offsets[first_q] : '0;
  assign left = bytes[first_q] - done_q;
  assign room = 5'(BusBytes) - offset_o;
  assign count_o = left < room ? left : room;
  assign final_o = count_o == left;
  assign marked_o = marks[first_q];
  for (genvar b = 0; b < BusBytes; b++) begin : gen_strobe
    assign strobe_o[b] = b >= offset_o && b < offset_o + count_o;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= '0;
      free_q  <= '0;
      done_q  <= '0;
    end else begin
      if (push_i) begin
        offsets[free_q] <= 5'(offset_i);
        bytes[free_q] <= bytes_i;
        marks[free_q] <= last_i;
        free_q <= free_q + 1'b1;
      end
      if (beat_i) begin
        done_q <= final_o ? '0 : done_q + count_o;
        if (final_o) first_q <= first_q + 1'b1;
      end
    end
  end

endmodule
