/// Convolution buffer: banks of atoms, consecutive addresses in one bank. Loads and kept tiles are
/// written while the array reads; a bank serves one read per cycle, weights before features, and
/// takes one write, loads before kept tiles. Banks lie far from each other and from what they serve: there are
/// registers on the way to them and one behind each.
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
    /// The kept tile's address has lost its bank to the load's write of the cycle before and must be repeated.
    output logic                 keep_conflict_o,
    /// Feature read; data two cycles later unless `conflict_o`. What loads have written two cycles before or later is
    /// not there yet, and what was kept in the cycle before or later.
    input  logic [         19:0] feature_addr_i,
    output logic [AtomicC*8-1:0] feature_data_o,
    /// Weight read; data two cycles later.
    input  logic                 weight_re_i,
    input  logic [         19:0] weight_addr_i,
    output logic [AtomicC*8-1:0] weight_data_o,
    /// A feature read loses its bank to a weight read and must be repeated.
    output logic                 conflict_o
);

  localparam int unsigned BankAtoms = Atoms / Banks;
  localparam int unsigned RowBits = $clog2(BankAtoms);
  localparam int unsigned BankBits = (Banks > 1) ? $clog2(Banks) : 1;

  localparam bit Even = BankAtoms == (1 << RowBits);  // banks are bits of the address

  logic [BankBits-1:0] keep_bank, feature_bank, weight_bank;
  logic [RowBits-1:0] keep_row, feature_row, weight_row;

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

  // A load's write comes a cycle later than a kept tile's to the banks: who has to wait is known from registers.
  logic load_q;
  logic [BankBits-1:0] load_bank_q;

  assign keep_row = row_of(keep_addr_i);
  assign feature_row = row_of(feature_addr_i);
  assign weight_row = row_of(weight_addr_i);

  assign keep_bank = bank_of(keep_addr_i);
  assign keep_conflict_o = load_q && load_bank_q == keep_bank;
  assign feature_bank = bank_of(feature_addr_i);
  assign weight_bank = bank_of(weight_addr_i);
  assign conflict_o = weight_re_i && feature_bank == weight_bank;

  logic [AtomicC-1:0] load_we_q, we_q, keep_we_q;
  logic [RowBits-1:0] load_row_q, wrow_q, keep_row_q;
  logic [AtomicC*8-1:0] load_data_q, wdata_q, keep_data_q;
  logic [Banks-1:0] load_here_q, keep_here_q;
  always_ff @(posedge clk_i) begin
    load_q <= write_i;
    load_bank_q <= bank_of(waddr_i);
    load_we_q <= we_i;
    load_row_q <= row_of(waddr_i);
    load_data_q <= wdata_i;
    for (int unsigned b = 0; b < Banks; b++) begin
      load_here_q[b] <= load_q && load_bank_q == BankBits'(b);
      keep_here_q[b] <= keep_bank == BankBits'(b);
    end
    we_q <= load_we_q;
    wrow_q <= load_row_q;
    wdata_q <= load_data_q;
    keep_we_q <= keep_we_i;
    keep_row_q <= keep_row;
    keep_data_q <= keep_data_i;
  end

  logic [Banks-1:0][AtomicC*8-1:0] rdata_q;

  for (genvar b = 0; b < Banks; b++) begin : gen_banks
    logic weight_here;
    logic [AtomicC*8-1:0] rdata;
    assign weight_here = weight_re_i && weight_bank == BankBits'(b);

    ram_1r1w_bytes #(
        .Bytes(AtomicC),
        .Depth(BankAtoms)
    ) u_bank (
        .clk_i,
        .we_i(load_here_q[b] ? we_q : keep_here_q[b] ? keep_we_q : '0),
        .waddr_i(load_here_q[b] ? wrow_q : keep_row_q),
        .wdata_i(load_here_q[b] ? wdata_q : keep_data_q),
        .re_i(1'b1),
        .raddr_i(weight_here ? weight_row : feature_row),
        .rdata_o(rdata)
    );
    always_ff @(posedge clk_i) rdata_q[b] <= rdata;
  end

  logic [BankBits-1:0] feature_bank_q, weight_bank_q, feature_from_q, weight_from_q;
  always_ff @(posedge clk_i) begin
    feature_bank_q <= feature_bank;
    weight_bank_q <= weight_bank;
    feature_from_q <= feature_bank_q;
    weight_from_q <= weight_bank_q;
  end

  assign feature_data_o = rdata_q[feature_from_q];
  assign weight_data_o = rdata_q[weight_from_q];

endmodule
