/// first + second, each where it is enabled, or first - second; modulo 2^Width. Families with better cells for it have one of their
/// own (rtl/fpga).
module masked_sum #(
    parameter int unsigned Width = 10,
    parameter bit Subtract = 1'b0
) (
    input  logic [Width-1:0] first_i,
    input  logic             first_enable_i,
    input  logic [Width-1:0] second_i,
    input  logic             second_enable_i,
    output logic [Width-1:0] sum_o
);

  logic [Width-1:0] first, second;
  assign first  = first_enable_i ? first_i : '0;
  assign second = second_enable_i ? second_i : '0;
  assign sum_o  = Subtract ? first - second : first + second;

endmodule
