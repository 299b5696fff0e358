/// Two signed products of bytes, in registers; one byte of each stays until it is loaded anew. Families with a multiplier for both have a form
/// of their own (rtl/fpga).
module product_pair (
    input  logic             clk_i,
    /// Takes what stays.
    input  logic             load_i,
    input  logic [1:0][ 7:0] kept_i,
    input  logic [1:0][ 7:0] bytes_i,
    /// A cycle after their bytes.
    output logic [1:0][15:0] products_o
);

  logic [1:0][7:0] kept_q;
  always_ff @(posedge clk_i) if (load_i) kept_q <= kept_i;

  for (genvar i = 0; i < 2; i++) begin : gen_products
    registered_product #(
        .FirstBits (8),
        .SecondBits(8)
    ) u_product (
        .clk_i,
        .enable_i (1'b1),
        .first_i  (kept_q[i]),
        .second_i (bytes_i[i]),
        .product_o(products_o[i])
    );
  end

endmodule
