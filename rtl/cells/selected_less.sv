/// Whether a word is less than second, where that is selected, than first where not; unsigned. Families with better cells for it
/// have one of their own (rtl/fpga).
module selected_less #(
    parameter int unsigned Width = 10
) (
    input  logic [Width-1:0] word_i,
    input  logic             select_i,
    input  logic [Width-1:0] first_i,
    input  logic [Width-1:0] second_i,
    output logic             less_o
);

  assign less_o = word_i < (select_i ? second_i : first_i);

endmodule
