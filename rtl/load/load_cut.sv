/// How a load's units are cut into chunks, worked out as it is requested: its data would have to wait for that.
module load_cut #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    /// Chunks hold a compact record, or two biases; else a word of one.
    parameter bit WholeRecords = 1'b1,
    /// Operands are built.
    parameter bit Operands = 1'b1
) (
    input  tessera_isa_pkg::load_t load_i,
    input  logic            [15:0] pixel_bytes_i,
    /// These are a compact record's, a bias'.
    input  logic                   compact_pixel_i,
    input  logic                   bias_pixel_i,
    /// A folded unit begins at this byte of its first atom.
    input  logic            [ 5:0] offset_i,
    /// What the load is of.
    output logic                   compact_o,
    output logic                   bias_o,
    /// Bytes of a unit; it has no more than its first chunk.
    output logic            [15:0] unit_bytes_o,
    output logic                   one_chunk_o
);

  logic is_param, is_table, is_operand;
  logic [6:0] chunk, first;
  assign is_param = load_i.kind == tessera_isa_pkg::LoadKindParam;
  assign is_table = load_i.kind == tessera_isa_pkg::LoadKindTable;
  assign is_operand = Operands && load_i.kind == tessera_isa_pkg::LoadKindOperand;
  assign compact_o = is_param && compact_pixel_i;
  assign bias_o = is_param && bias_pixel_i;

  assign chunk = (WholeRecords && (compact_o || bias_o)) ? 7'(load_pkg::CompactBytes) :
      (is_param || is_table) ? 7'd4 : is_operand ? 7'(AtomicK) : 7'(AtomicC);
  assign first = load_i.fold ? 7'(AtomicC) - {1'b0, offset_i} : chunk;
  assign unit_bytes_o = is_table ? 16'd4 : (WholeRecords && bias_o) ? 16'(2 * load_pkg::BiasBytes) : pixel_bytes_i;
  assign one_chunk_o = unit_bytes_o <= 16'(first);

  logic unused;
  assign unused = ^load_i;

endmodule
