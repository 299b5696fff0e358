/// Pads for both directions with registers: for what leaves, for who drives, for what comes. They begin
/// released.
module pads_both #(
    parameter int unsigned Width = 16
) (
    input  logic             clk_i,
    input  logic             drive_i,
    input  logic [Width-1:0] data_i,
    output logic [Width-1:0] data_o,
    inout  wire  [Width-1:0] pads_io
);

  logic [Width-1:0] leaves_q, comes, comes_q;
  logic released_q = 1'b1;
  always_ff @(posedge clk_i) begin
    leaves_q <= data_i;
    released_q <= !drive_i;
    comes_q <= comes;
  end
  assign data_o = comes_q;

  for (genvar i = 0; i < Width; i++) begin : gen_pad
    IOBUF u_pad (
        .O(comes[i]),
        .IO(pads_io[i]),
        .I(leaves_q[i]),
        .OEN(released_q)
    );
  end

endmodule
