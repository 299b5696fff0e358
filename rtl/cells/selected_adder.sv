/// augend + second where that is selected, + first where not; modulo 2^Width. Families with better cells for it have one of their
/// own (rtl/fpga).
module selected_adder #(
    parameter int unsigned Width = 10
) (
    input  logic [Width-1:0] augend_i,
    input  logic             select_i,
    input  logic [Width-1:0] first_i,
    input  logic [Width-1:0] second_i,
    output logic [Width-1:0] sum_o
);

  assign sum_o = augend_i + (select_i ? second_i : first_i);

endmodule
