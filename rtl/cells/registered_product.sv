/// A signed product, in a register. Families whose multipliers have that register have a form of their own (rtl/fpga).
module registered_product #(
    parameter int unsigned FirstBits = 18,
    parameter int unsigned SecondBits = 18,
    /// Without `enable_i` the product stays; else it is open then, and a family's form need not hold it.
    parameter bit Holds = 1'b0
) (
    input  logic                                   clk_i,
    /// Takes the product of the operands.
    input  logic                                   enable_i,
    input  logic signed [           FirstBits-1:0] first_i,
    input  logic signed [          SecondBits-1:0] second_i,
    output logic signed [FirstBits+SecondBits-1:0] product_o
);

  logic unused;
  assign unused = Holds;

  always_ff @(posedge clk_i) if (enable_i) product_o <= first_i * second_i;

endmodule
