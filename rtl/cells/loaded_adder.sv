/// value where it is loaded, augend + addend where not; modulo 2^Width. Families with better cells for it have one of their own
/// (rtl/fpga).
module loaded_adder #(
    parameter int unsigned Width = 10
) (
    input  logic             load_i,
    input  logic [Width-1:0] value_i,
    input  logic [Width-1:0] augend_i,
    input  logic [Width-1:0] addend_i,
    output logic [Width-1:0] sum_o
);

  assign sum_o = load_i ? value_i : augend_i + addend_i;

endmodule
