/// Convolution buffer: banks of atoms, consecutive addresses in one bank. Loads and kept tiles are
/// written while the array reads; a bank serves one read per cycle, weights before features, and
/// takes one write, loads before kept tiles.
module cbuf #(
    parameter int unsigned AtomicC = 8,
    /// Atoms in all banks, a multiple of their number.
    parameter int unsigned Atoms = 16384,
    parameter int unsigned Banks = 8
) (
    input  logic                 clk_i,
    /// A load's write, and which bytes of the atom.
    input  logic                 write_i,
    input  logic [  AtomicC-1:0] we_i,
    input  logic [         19:0] waddr_i,
    input  logic [AtomicC*8-1:0] wdata_i,
    /// Write of a kept tile, by byte of the atom; it happens unless `keep_conflict_o`.
    input  logic [  AtomicC-1:0] keep_we_i,
    input  logic [         19:0] keep_addr_i,
    input  logic [AtomicC*8-1:0] keep_data_i,
    /// The kept tile's address has lost its bank to a load and must be repeated.
    output logic                 keep_conflict_o,
    /// Feature read; data one cycle later unless `conflict_o`.
    input  logic                 feature_re_i,
    input  logic [         19:0] feature_addr_i,
    output logic [AtomicC*8-1:0] feature_data_o,
    /// Weight read; data one cycle later.
    input  logic                 weight_re_i,
    input  logic [         19:0] weight_addr_i,
    output logic [AtomicC*8-1:0] weight_data_o,
    /// The feature read lost its bank to a weight read and must be repeated.
    output logic                 conflict_o
);

  localparam int unsigned BankAtoms = Atoms / Banks;
  localparam int unsigned RowBits = $clog2(BankAtoms);
  localparam int unsigned BankBits = (Banks > 1) ? $clog2(Banks) : 1;

  localparam bit Even = BankAtoms == (1 << RowBits);  // banks are bits of the address

  logic [BankBits-1:0] wbank, keep_bank, feature_bank, weight_bank, feature_bank_q, weight_bank_q;
  logic [RowBits-1:0] wrow, keep_row, feature_row, weight_row;

  function automatic logic [BankBits-1:0] bank_of(input logic [19:0] address);
    if (Even) begin
      bank_of = (Banks > 1) ? BankBits'(address >> RowBits) : '0;
    end else begin
      bank_of = '0;
      for (int unsigned b = 1; b < Banks; b++) begin
        if (address >= 20'(b * BankAtoms)) bank_of = BankBits'(b);
      end
    end
  endfunction

  function automatic logic [RowBits-1:0] row_of(input logic [19:0] address);
    logic [19:0] first;
    first = '0;
    if (!Even) begin
      for (int unsigned b = 1; b < Banks; b++) begin
        if (address >= 20'(b * BankAtoms)) first = 20'(b * BankAtoms);
      end
    end
    row_of = RowBits'(address - first);
  endfunction

  assign wrow = row_of(waddr_i);
  assign keep_row = row_of(keep_addr_i);
  assign feature_row = row_of(feature_addr_i);
  assign weight_row = row_of(weight_addr_i);

  assign wbank = bank_of(waddr_i);
  assign keep_bank = bank_of(keep_addr_i);
  assign keep_conflict_o = write_i && wbank == keep_bank;
  assign feature_bank = bank_of(feature_addr_i);
  assign weight_bank = bank_of(weight_addr_i);
  assign conflict_o = feature_re_i && weight_re_i && feature_bank == weight_bank;

  logic [Banks-1:0][AtomicC*8-1:0] rdata;

  for (genvar b = 0; b < Banks; b++) begin : gen_banks
    logic weight_here, feature_here, load_here;
    assign load_here = write_i && wbank == BankBits'(b);
    assign weight_here = weight_re_i && weight_bank == BankBits'(b);
    assign feature_here = feature_re_i && feature_bank == BankBits'(b);

    ram_1r1w_bytes #(
        .Bytes(AtomicC),
        .Depth(BankAtoms)
    ) u_bank (
        .clk_i,
        .we_i(load_here ? we_i : (keep_bank == BankBits'(b)) ? keep_we_i : '0),
        .waddr_i(load_here ? wrow : keep_row),
        .wdata_i(load_here ? wdata_i : keep_data_i),
        .re_i(weight_here || feature_here),
        .raddr_i(weight_here ? weight_row : feature_row),
        .rdata_o(rdata[b])
    );
  end

  always_ff @(posedge clk_i) begin
    if (feature_re_i && !conflict_o) feature_bank_q <= feature_bank;
    if (weight_re_i) weight_bank_q <= weight_bank;
  end

  assign feature_data_o = rdata[feature_bank_q];
  assign weight_data_o = rdata[weight_bank_q];

endmodule
