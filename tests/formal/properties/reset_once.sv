/// Reset in the first cycle, and never again.
module reset_once (
    input  logic clk_i,
    output logic rst_no
);
  initial rst_no = 1'b0;
  always_ff @(posedge clk_i) rst_no <= 1'b1;
endmodule
