/// A word times a small factor, modulo 2^Width, in a register: from one of the chip's multipliers or a sum of shifted words.
module registered_scale #(
    parameter int unsigned Width = 20,
    /// Bits of the word: at most Width.
    parameter int unsigned WordBits = 20,
    parameter int unsigned FactorBits = 4,
    /// Made of logic.
    parameter bit Logic = 1'b0
) (
    input  logic                  clk_i,
    /// Takes the product of the operands; else the one before stays.
    input  logic                  enable_i,
    input  logic [  WordBits-1:0] word_i,
    input  logic [FactorBits-1:0] factor_i,
    output logic [     Width-1:0] scaled_o
);

  if (Logic) begin : gen_logic
    logic [Width-1:0] scaled;
    scaled_word #(
        .Width(Width),
        .FactorBits(FactorBits)
    ) u_scaled (
        .word_i  (Width'(word_i)),
        .factor_i,
        .scaled_o(scaled)
    );
    always_ff @(posedge clk_i) if (enable_i) scaled_o <= scaled;
  end else begin : gen_multiplier
    // Multipliers take signed words of 18 bits: the few bits above their product's lowest are multiplied apart.
    localparam int unsigned LowBits = (WordBits < 17) ? WordBits : 17;
    localparam int unsigned HighBits = Width - LowBits;
    logic [LowBits+FactorBits+1:0] product;
    logic unused;
    assign unused = ^product;
    registered_product #(
        .FirstBits (LowBits + 1),
        .SecondBits(FactorBits + 1),
        .Holds     (1'b1)
    ) u_product (
        .clk_i,
        .enable_i,
        .first_i  ({1'b0, word_i[LowBits-1:0]}),
        .second_i ({1'b0, factor_i}),
        .product_o(product)
    );
    if (WordBits > LowBits) begin : gen_high
      logic [HighBits-1:0] high, high_q;
      scaled_word #(
          .Width(HighBits),
          .FactorBits(FactorBits < HighBits ? FactorBits : HighBits)
      ) u_high (
          .word_i  (HighBits'(word_i[WordBits-1:LowBits])),
          .factor_i(factor_i[(FactorBits < HighBits ? FactorBits : HighBits)-1:0]),
          .scaled_o(high)
      );
      always_ff @(posedge clk_i) if (enable_i) high_q <= high;
      assign scaled_o = {product[Width-1:LowBits] + high_q, product[LowBits-1:0]};
    end else begin : gen_low
      assign scaled_o = Width'(product);
    end
  end

endmodule
