/// Registered outputs. They begin with ones, which is no command to a memory.
module pads_out #(
    parameter int unsigned Width = 1
) (
    input  logic             clk_i,
    input  logic [Width-1:0] data_i,
    output logic [Width-1:0] pads_o
);

  logic [Width-1:0] data_q = '1;
  always_ff @(posedge clk_i) data_q <= data_i;
  assign pads_o = data_q;

endmodule
