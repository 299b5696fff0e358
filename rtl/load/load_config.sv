/// What the load unit's configuration words say, and which of them have come.
module load_config (
    input  logic                        clk_i,
    /// Synchronous reset, active low: none has come.
    input  logic                        rst_ni,
    /// The queue's head is a word, and is taken.
    input  logic                        valid_i,
    input  logic                        take_i,
    input  logic [63:0]                 word_i,
    output tessera_isa_pkg::ld_source_t source_o,
    output tessera_isa_pkg::ld_shape_t  shape_o,
    output tessera_isa_pkg::ld_stride_t stride_o,
    output tessera_isa_pkg::ld_fold_t   fold_o,
    output tessera_isa_pkg::ld_factor_t factor_o,
    output tessera_isa_pkg::ld_code_t   code_o,
    /// A LOAD can do with what has come. Strides matter only to transfers of several segments.
    input  logic                        wants_fold_i,
    input  logic                        wants_factor_i,
    input  logic                        wants_code_i,
    output logic                        configured_o,
    /// A pixel has the bytes of a bias, of a compact record.
    output logic                        bias_pixel_o,
    output logic                        compact_pixel_o
);

  tessera_isa_pkg::ld_source_t source_q;
  tessera_isa_pkg::ld_shape_t shape_q;
  tessera_isa_pkg::ld_stride_t stride_q;
  tessera_isa_pkg::ld_fold_t fold_q;
  tessera_isa_pkg::ld_factor_t factor_q;
  tessera_isa_pkg::ld_code_t code_q;
  logic source_set_q, shape_set_q, stride_set_q, fold_set_q, factor_set_q, code_set_q, transfer_set_q;
  logic source_set, shape_set, stride_set;
  tessera_isa_pkg::ld_source_t new_source;
  tessera_isa_pkg::ld_shape_t new_shape;
  assign new_source = word_i;
  assign new_shape = word_i;
  logic single_q, single;  // the shape has one segment
  logic bias_pixel_q, compact_pixel_q;
  logic unused;
  assign unused = ^{new_source, new_shape};
  logic [5:0] opcode;
  assign opcode = word_i[63:58];

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      unique case (opcode)
        tessera_isa_pkg::OpLdSource: begin
          source_q <= word_i;
          bias_pixel_q <= new_source.pixel_bytes == 16'(load_pkg::BiasBytes);
          compact_pixel_q <= new_source.pixel_bytes == 16'(load_pkg::CompactBytes);
        end
        tessera_isa_pkg::OpLdShape: shape_q <= word_i;
        tessera_isa_pkg::OpLdStride: stride_q <= word_i;
        tessera_isa_pkg::OpLdFold: fold_q <= word_i;
        tessera_isa_pkg::OpLdFactor: factor_q <= word_i;
        tessera_isa_pkg::OpLdCode: code_q <= word_i;
        default: ;
      endcase
    end
  end

  // A word that waits at the head is taken before any LOAD is: that it has come is known without waiting for that.
  assign source_set = source_set_q || (valid_i && opcode == tessera_isa_pkg::OpLdSource);
  assign shape_set = shape_set_q || (valid_i && opcode == tessera_isa_pkg::OpLdShape);
  assign stride_set = stride_set_q || (valid_i && opcode == tessera_isa_pkg::OpLdStride);
  assign single = (valid_i && opcode == tessera_isa_pkg::OpLdShape) ?
      new_shape.inner == 16'd1 && new_shape.outer == 16'd1 : single_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      source_set_q <= 1'b0;
      shape_set_q  <= 1'b0;
      stride_set_q <= 1'b0;
      fold_set_q   <= 1'b0;
      factor_set_q <= 1'b0;
      code_set_q   <= 1'b0;
      transfer_set_q <= 1'b0;
    end else begin
      source_set_q <= source_set;
      shape_set_q <= shape_set;
      stride_set_q <= stride_set;
      transfer_set_q <= source_set && shape_set && (stride_set || single);
      if (valid_i && opcode == tessera_isa_pkg::OpLdFold) fold_set_q <= 1'b1;
      if (valid_i && opcode == tessera_isa_pkg::OpLdFactor) factor_set_q <= 1'b1;
      if (valid_i && opcode == tessera_isa_pkg::OpLdCode) code_set_q <= 1'b1;
    end
    single_q <= single;
  end

  assign source_o = source_q;
  assign bias_pixel_o = bias_pixel_q;
  assign compact_pixel_o = compact_pixel_q;
  assign shape_o = shape_q;
  assign stride_o = stride_q;
  assign fold_o = fold_q;
  assign factor_o = factor_q;
  assign code_o = code_q;
  assign configured_o = transfer_set_q && (fold_set_q || !wants_fold_i) && (factor_set_q || !wants_factor_i) &&
      (code_set_q || !wants_code_i);

endmodule
