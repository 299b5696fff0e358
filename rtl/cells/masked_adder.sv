/// augend + addend, or minus it, where it is enabled; modulo 2^Width. Families with better cells for it have one of their own
/// (rtl/fpga).
module masked_adder #(
    parameter int unsigned Width = 10,
    parameter bit Subtract = 1'b0
) (
    input  logic [Width-1:0] augend_i,
    input  logic [Width-1:0] addend_i,
    input  logic             enable_i,
    output logic [Width-1:0] sum_o
);

  logic [Width-1:0] addend;
  assign addend = enable_i ? addend_i : '0;
  assign sum_o  = Subtract ? augend_i - addend : augend_i + addend;

endmodule
