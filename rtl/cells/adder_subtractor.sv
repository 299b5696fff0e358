/// augend + addend, or minus it; modulo 2^Width. Families with better cells for it have one of their own (rtl/fpga).
module adder_subtractor #(
    parameter int unsigned Width = 32
) (
    input  logic [Width-1:0] augend_i,
    input  logic [Width-1:0] addend_i,
    input  logic             subtract_i,
    output logic [Width-1:0] sum_o
);

  assign sum_o = augend_i + (addend_i ^ {Width{subtract_i}}) + Width'(subtract_i);

endmodule
