/// Turns compressed weights (command LD_CODE) into atoms, one in a cycle; a cycle is for the codes of each group.
module weight_decoder #(
    /// Bytes per beat that comes, and per atom that goes.
    parameter int unsigned InBytes = 8,
    parameter int unsigned AtomicC = 8,
    /// Derived, not to be set.
    parameter int unsigned CountBits = $clog2(InBytes + 1)
) (
    input  logic                 clk_i,
    /// Synchronous reset, active low: drops what is held. Also between transfers.
    input  logic                 rst_ni,
    /// These must hold from the first beat of a transfer to its end.
    input  logic                 active_i,
    input  logic [         19:0] atoms_i,
    input  logic [         19:0] unit_i,
    input  logic [          7:0] zero_i,
    /// Beats: `in_bytes_i` bytes from byte `in_offset_i` on; `in_last_i`: the transfer's last.
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  logic [InBytes*8-1:0] in_data_i,
    input  logic [CountBits-1:0] in_offset_i,
    input  logic [CountBits-1:0] in_bytes_i,
    input  logic                 in_last_i,
    /// Atoms.
    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output logic [AtomicC*8-1:0] out_data_o,
    output logic                 out_last_o,
    /// The transfer has more or fewer bytes than its atoms.
    output logic                 ragged_o
);

  localparam int unsigned Widths = 8;  // codes up to it: bits of a value
  localparam int unsigned GroupAtoms = 2 * AtomicC;
  localparam int unsigned GroupBits = $clog2(GroupAtoms + 1);
  localparam int unsigned MaskBytes = (AtomicC + 7) / 8;
  localparam int unsigned MostValues = AtomicC - MaskBytes;
  localparam int unsigned Room = values_of(15);
  localparam int unsigned NeedBits = $clog2(AtomicC + 1);

  /// Values that follow the bits which say where.
  function automatic int unsigned values_of(input int unsigned code);
    int unsigned of_16;
    of_16 = (code <= 12) ? code - 8 : (code == 13) ? 6 : (code == 14) ? 9 : 12;
    values_of = (AtomicC >= 16) ? of_16 * (AtomicC / 16) : (code < 12) ? code - 8 : 4;
    if (values_of > MostValues) values_of = MostValues;
  endfunction

  /// Bytes of a block.
  function automatic logic [NeedBits-1:0] block_bytes(input logic [3:0] code);
    block_bytes = '0;
    for (int unsigned c = 1; c < 16; c++) begin
      if (code == 4'(c)) begin
        block_bytes = (c <= Widths) ? NeedBits'((c * AtomicC + 7) / 8) : NeedBits'(MaskBytes + values_of(c));
      end
    end
  endfunction

  /// Atoms of the next group.
  function automatic logic [GroupBits-1:0] group_atoms(input logic [19:0] of_load, input logic [19:0] of_unit);
    logic [19:0] least;
    least = (of_load < of_unit) ? of_load : of_unit;
    group_atoms = (least < 20'(GroupAtoms)) ? GroupBits'(least) : GroupBits'(GroupAtoms);
  endfunction

  // A beat more than is needed: whether there is room depends on nothing that happens in the same cycle.
  localparam int unsigned HoldBytes = AtomicC + 2 * InBytes;
  localparam int unsigned HoldBits = $clog2(HoldBytes + 1);
  localparam int unsigned InPlaceBits = (InBytes > 1) ? $clog2(InBytes) : 1;
  localparam int unsigned Lanes = 1 << $clog2(InBytes > AtomicC ? InBytes : AtomicC);
  localparam int unsigned PlaceBits = $clog2(Lanes) + $clog2((HoldBytes + Lanes - 1) / Lanes);

  logic [PlaceBits-1:0] first_q, free_q;
  logic [HoldBits-1:0] count_q;
  logic last_q, fresh_q, filled_q;
  logic [19:0] load_left_q, unit_left_q;  // atoms behind the group
  logic [GroupBits-1:0] group_q, left_q;  // atoms of the next group, of the current one
  logic [GroupAtoms*4-1:0] codes_q;
  logic all_begun_q;

  logic advance, begins, takes, last_block, takes_beat;
  logic [NeedBits-1:0] header, need, taken;
  assign header = NeedBits'((group_q + 1'b1) >> 1);
  assign need = block_bytes(codes_q[3:0]);
  assign begins = active_i && advance && !fresh_q && left_q == '0 && !all_begun_q && count_q >= HoldBits'(header);
  assign takes = active_i && advance && left_q != '0 && count_q >= HoldBits'(need);
  assign taken = takes ? need : begins ? header : '0;
  assign last_block = left_q == GroupBits'(1) && all_begun_q;
  assign in_ready_o = count_q <= HoldBits'(AtomicC + InBytes) && !last_q;
  assign takes_beat = active_i && in_valid_i && in_ready_o;

  logic ends_early, starves;
  assign ends_early = takes && last_block && !(last_q && count_q == HoldBits'(need));
  assign starves = last_q && ((left_q != '0) ? count_q < HoldBits'(need) :
      !fresh_q && !all_begun_q && count_q < HoldBits'(header));
  assign ragged_o = active_i && (ends_early || starves);

  // Beats lie as on the bus: the first one's offset is that of all.
  logic [PlaceBits-1:0] in_place;
  assign in_place = filled_q ? free_q : PlaceBits'(in_offset_i);

  logic [AtomicC*8-1:0] held;
  byte_ring #(
      .Bytes(HoldBytes),
      .InBytes(InBytes),
      .OutBytes(AtomicC),
      .Aligned(1'b1)
  ) u_ring (
      .clk_i,
      .write_i(takes_beat),
      .in_place_i(in_place),
      .in_data_i,
      .in_offset_i(in_offset_i[InPlaceBits-1:0]),
      .in_bytes_i,
      .out_place_i(first_q),
      .out_data_o(held)
  );

  // What is left when the next group has begun.
  logic [19:0] load_after, unit_after, unit_next;
  assign load_after = load_left_q - 20'(group_q);
  assign unit_after = unit_left_q - 20'(group_q);
  assign unit_next = (unit_after == '0) ? unit_i : unit_after;

  always_ff @(posedge clk_i) begin
    group_q <= fresh_q ? group_atoms(atoms_i, unit_i) : group_atoms(load_left_q, unit_left_q);
    if (!rst_ni) begin
      first_q <= '0;
      free_q <= '0;
      count_q <= '0;
      last_q <= 1'b0;
      fresh_q <= 1'b1;
      filled_q <= 1'b0;
      left_q <= '0;
      all_begun_q <= 1'b0;
    end else if (active_i) begin
      fresh_q <= 1'b0;
      count_q <= count_q - HoldBits'(taken) + (takes_beat ? HoldBits'(in_bytes_i) : '0);
      first_q <= (takes_beat && !filled_q) ? in_place : first_q + PlaceBits'(taken);
      if (takes_beat) begin
        filled_q <= 1'b1;
        free_q <= in_place + PlaceBits'(in_bytes_i);
        last_q <= in_last_i;
      end
      if (fresh_q) begin
        load_left_q <= atoms_i;
        unit_left_q <= unit_i;
      end else if (begins) begin
        load_left_q <= load_after;
        unit_left_q <= unit_next;
        all_begun_q <= load_after == '0;
      end
      if (begins) left_q <= group_q;
      else if (takes) left_q <= left_q - 1'b1;
    end
    if (begins) codes_q <= held;
    else if (takes) codes_q <= codes_q >> 4;
  end

  // A block as it came, and how many values it has room for where bits say which they are.
  logic block_valid_q, block_last_q;
  logic [3:0] code_q;
  logic [6:0] room_q;
  logic [AtomicC*8-1:0] block_q;

  // Its values.
  logic valid_q, atom_last_q;
  logic [AtomicC*8-1:0] atom, atom_q;
  for (genvar i = 0; i < AtomicC; i++) begin : gen_values
    logic [7:0] signed_value, listed, value;
    logic [6:0] ahead;
    always_comb begin
      signed_value = '0;
      for (int unsigned w = 1; w <= Widths; w++) begin
        if (code_q == 4'(w)) begin
          for (int unsigned b = 0; b < 8; b++) signed_value[b] = block_q[i*w+(b<w?b : w-1)];
        end
      end
      ahead = '0;
      for (int unsigned j = 1; j <= i; j++) ahead = ahead + 7'(block_q[j-1]);
      listed = '0;
      for (int unsigned v = 0; v < Room; v++) begin
        if (block_q[i] && ahead == 7'(v) && ahead < room_q) listed = block_q[(MaskBytes+v)*8+:8];
      end
    end
    assign value = (code_q > 4'(Widths)) ? listed : signed_value;
    assign atom[i*8+:8] = value + zero_i;
  end

  assign advance = !valid_q || out_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      block_valid_q <= 1'b0;
      valid_q <= 1'b0;
    end else if (advance) begin
      block_valid_q <= takes;
      valid_q <= block_valid_q;
    end
    if (advance) begin
      block_last_q <= last_block;
      code_q <= codes_q[3:0];
      room_q <= 7'(need) - 7'(MaskBytes);
      block_q <= held;
      atom_last_q <= block_last_q;
      atom_q <= atom;
    end
  end

  assign out_valid_o = valid_q;
  assign out_data_o = atom_q;
  assign out_last_o = atom_last_q;

endmodule
