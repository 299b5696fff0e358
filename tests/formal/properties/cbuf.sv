/// A byte that is read is the one that was written last: by a load three cycles before or earlier, or kept two cycles before; who loses a bank is told, and nobody else.
module cbuf_properties #(
    parameter int unsigned Atoms = 8,
    parameter int unsigned Banks = 2
) (
    input logic        clk_i,
    input logic        write_i,
    input logic [ 1:0] we_i,
    input logic [ 3:0] waddr_i,
    input logic [15:0] wdata_i,
    input logic [ 1:0] keep_we_i,
    input logic [ 3:0] keep_addr_i,
    input logic [15:0] keep_data_i,
    input logic        feature_re_i,
    input logic [ 3:0] feature_addr_i,
    input logic        weight_re_i,
    input logic [ 3:0] weight_addr_i,
    /// The followed byte: any atom, any of its two bytes.
    input logic [ 3:0] atom_i,
    input logic        byte_i
);

  logic rst_n, keep_conflict, conflict;
  logic [15:0] feature_data, weight_data;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  cbuf #(
      .AtomicC(2),
      .Atoms(Atoms),
      .Banks(Banks)
  ) u_dut (
      .clk_i,
      .write_i,
      .we_i,
      .waddr_i(20'(waddr_i)),
      .wdata_i,
      .keep_we_i,
      .keep_addr_i(20'(keep_addr_i)),
      .keep_data_i,
      .keep_conflict_o(keep_conflict),
      .feature_addr_i(20'(feature_addr_i)),
      .feature_data_o(feature_data),
      .weight_re_i,
      .weight_addr_i(20'(weight_addr_i)),
      .weight_data_o(weight_data),
      .conflict_o(conflict)
  );

  logic [3:0] atom_q, load_atom_q;
  logic byte_q, load_q, loads, loads_q, keeps, known_q, written, feature_q, feature_comes_q, weight_q, weight_comes_q;
  logic [7:0] load_value_q, value_q, read_q, comes_q;
  assign loads = write_i && waddr_i == atom_i && we_i[byte_i];
  assign keeps = keep_addr_i == atom_i && keep_we_i[byte_i] && !keep_conflict;
  assign written = loads_q || keeps;
  logic written_q;
  always_ff @(posedge clk_i) begin
    atom_q <= atom_i;
    byte_q <= byte_i;
    load_q <= write_i;
    load_atom_q <= waddr_i;
    if (!rst_n) begin
      loads_q <= 1'b0;
      written_q <= 1'b0;
      known_q <= 1'b0;
      {feature_q, feature_comes_q, weight_q, weight_comes_q} <= '0;
    end else begin
      loads_q <= loads;
      written_q <= written;
      known_q <= known_q || written_q;
      // What is read of a word that is being written is open.
      feature_q <= known_q && !written_q && feature_re_i && !conflict && feature_addr_i == atom_i;
      weight_q <= known_q && !written_q && weight_re_i && weight_addr_i == atom_i;
      feature_comes_q <= feature_q;
      weight_comes_q <= weight_q;
    end
    load_value_q <= byte_i ? wdata_i[15:8] : wdata_i[7:0];
    if (loads_q) value_q <= load_value_q;
    else if (keeps) value_q <= byte_i ? keep_data_i[15:8] : keep_data_i[7:0];
    read_q <= value_q;
    comes_q <= read_q;
  end

  localparam logic [3:0] BankAtoms = 4'(Atoms / Banks);
  always_comb begin
    assume (waddr_i < Atoms && keep_addr_i < Atoms && feature_addr_i < Atoms && weight_addr_i < Atoms && atom_i < Atoms);
    if (rst_n) begin
      assume (atom_i == atom_q && byte_i == byte_q);
      feature_is_what_was_written : assert (!feature_comes_q || (byte_i ? feature_data[15:8] : feature_data[7:0]) == comes_q);
      weight_is_what_was_written : assert (!weight_comes_q || (byte_i ? weight_data[15:8] : weight_data[7:0]) == comes_q);
      conflict_is_true : assert (conflict ==
          (weight_re_i && feature_addr_i / BankAtoms == weight_addr_i / BankAtoms));
      keep_conflict_is_true : assert (keep_conflict == (load_q && load_atom_q / BankAtoms == keep_addr_i / BankAtoms));
    end
  end

endmodule
