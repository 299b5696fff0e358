/// augend + addend, or minus it, where it is enabled. Ten bits: a row of an array multiplier. Families with better cells for
/// it have one of their own (rtl/fpga).
module masked_adder #(
    parameter bit Subtract = 1'b0
) (
    input  logic [9:0] augend_i,
    /// Signed.
    input  logic [8:0] addend_i,
    input  logic       enable_i,
    output logic [9:0] sum_o
);

  logic [9:0] addend;
  assign addend = enable_i ? {addend_i[8], addend_i} : '0;
  assign sum_o  = Subtract ? augend_i - addend : augend_i + addend;

endmodule
