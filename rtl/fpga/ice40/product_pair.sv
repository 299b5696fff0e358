/// product_pair in a multiplier of the iCE40 UltraPlus, which makes two of eight bits, with its registers for what stays and for the products.
/// Synthesis takes a multiplier for each product, and none of them; where the cell itself stands, it makes another one of it, which is none of
/// its business: what stands here becomes that cell behind it (maps/byte_products.v).
module product_pair (
    input  logic             clk_i,
    input  logic             load_i,
    input  logic [1:0][ 7:0] kept_i,
    input  logic [1:0][ 7:0] bytes_i,
    output logic [1:0][15:0] products_o
);

  byte_products u_products (
      .clk_i,
      .hold_i(!load_i),
      .kept_i,
      .bytes_i,
      .products_o
  );

endmodule

(* blackbox *)
module byte_products (
    input  logic        clk_i,
    input  logic        hold_i,
    input  logic [15:0] kept_i,
    input  logic [15:0] bytes_i,
    output logic [31:0] products_o
);
endmodule
