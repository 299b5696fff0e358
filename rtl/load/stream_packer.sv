/// Turns bus beats with arbitrary first byte and length into chunks: each unit of `unit_bytes_i`
/// bytes becomes chunks of `chunk_bytes_i` bytes, the first one of `first_bytes_i`, the last one
/// filled up with zeros.
module stream_packer #(
    /// Bytes per beat.
    parameter int unsigned InBytes = 8,
    /// Most bytes per chunk.
    parameter int unsigned OutBytes = 16,
    /// Offsets and sizes are multiples of these bytes, a power of two.
    parameter int unsigned Grain = 1,
    /// Derived, not to be set.
    parameter int unsigned InLanes = 1 << $clog2(InBytes),
    parameter int unsigned InCountBits = $clog2(InBytes + 1),
    parameter int unsigned OutCountBits = $clog2(OutBytes + 1)
) (
    input  logic                    clk_i,
    /// Synchronous reset, active low: drops what is held.
    input  logic                    rst_ni,
    /// Bytes per unit and per chunk (at most OutBytes); must hold from the first beat of a
    /// transfer to `done_o`.
    input  logic [            15:0] unit_bytes_i,
    /// A unit has no more bytes than its first chunk.
    input  logic                    one_chunk_i,
    input  logic [OutCountBits-1:0] first_bytes_i,
    input  logic [OutCountBits-1:0] chunk_bytes_i,
    /// A beat: `in_bytes_i` bytes from byte `in_offset_i` on, around the end; `in_last_i`: the transfer's last.
    input  logic                    in_valid_i,
    output logic                    in_ready_o,
    input  logic [   InLanes*8-1:0] in_data_i,
    input  logic [ InCountBits-1:0] in_offset_i,
    input  logic [ InCountBits-1:0] in_bytes_i,
    input  logic                    in_last_i,
    /// A chunk; the consumer always takes it.
    output logic                    out_valid_o,
    output logic [  OutBytes*8-1:0] out_data_o,
    /// Its bytes, and whether it begins and ends a unit.
    output logic [OutCountBits-1:0] out_count_o,
    output logic                    out_first_o,
    output logic                    out_last_o,
    /// The transfer is over; the next one can begin in the next cycle.
    output logic                    done_o,
    /// With `done_o`: bytes were left over that make no whole unit.
    output logic                    ragged_o
);

  localparam int unsigned HoldBytes = InBytes + OutBytes;
  localparam int unsigned HoldBits = $clog2(HoldBytes + 1);

  // The ring that holds them.
  localparam int unsigned InPlaceBits = $clog2(InLanes);
  localparam int unsigned Lanes = 1 << $clog2(InBytes > OutBytes ? InBytes : OutBytes);
  localparam int unsigned PlaceBits = $clog2(Lanes) + $clog2((HoldBytes + Lanes - 1) / Lanes);
  logic [PlaceBits-1:0] first_q, free_q;
  logic [HoldBits-1:0] kept_q;  // bytes held, but for those of the chunk that leaves
  // The chunk to come, worked out a cycle ahead: whether it ends its unit, its bytes, what of the unit is left behind one that
  // does not.
  logic [15:0] rest_q;
  logic begins_q, ends_q, empty_q;
  logic [HoldBits-1:0] need_q;
  logic last_q;

  logic [HoldBits-1:0] grown;
  logic emit_q, ready_q;

  assign out_first_o = begins_q;
  assign out_last_o = ends_q;
  assign out_count_o = OutCountBits'(need_q);
  assign grown = kept_q + HoldBits'(in_bytes_i);
  assign in_ready_o = ready_q;

  logic take;
  assign take = in_valid_i && in_ready_o;

  logic [OutBytes*8-1:0] chunk_mask;
  assign chunk_mask = ~({(OutBytes * 8) {1'b1}} << {need_q, 3'b000});
  assign out_valid_o = emit_q;
  assign out_data_o = chunk & chunk_mask;

  logic stuck;
  assign stuck = last_q && !emit_q;
  assign done_o = last_q && (kept_q == '0 || stuck);
  assign ragged_o = (kept_q != '0 && stuck) || (emit_q && !ends_q);

  // Offsets are within a beat.
  logic unused;
  assign unused = ^in_offset_i;

  logic [OutBytes*8-1:0] chunk;
  byte_ring #(
      .Bytes(HoldBytes),
      .InBytes(InBytes),
      .OutBytes(OutBytes),
      .Grain(Grain)
  ) u_ring (
      .clk_i,
      .write_i(take),
      .in_place_i(free_q),
      .in_data_i,
      .in_offset_i(in_offset_i[InPlaceBits-1:0]),
      .in_bytes_i,
      .out_place_i(first_q),
      .out_data_o(chunk)
  );

  // While nothing of a unit has come, its sizes may still change.
  logic starts, ends, next_ends;
  logic [15:0] left;
  logic [OutCountBits-1:0] most;
  logic [HoldBits-1:0] need;
  // Compared before it is known which one begins.
  assign next_ends = rest_q[15:OutCountBits] == '0 && rest_q[OutCountBits-1:0] <= chunk_bytes_i;
  assign ends = starts ? one_chunk_i : next_ends;
  assign need = ends ? HoldBits'(left) : HoldBits'(most);
  assign starts = begins_q && empty_q || emit_q && ends_q;
  assign left = starts ? unit_bytes_i : rest_q;
  assign most = starts ? first_bytes_i : chunk_bytes_i;
  always_ff @(posedge clk_i) begin
    if (starts || emit_q) begin
      rest_q <= left - 16'(most);
      ends_q <= ends;
      need_q <= need;
    end
  end

  // Whether a chunk is there, what is left behind it, and whether there is room for a beat then, are known from the cycle before,
  // whatever comes in it. Between transfers the sizes mean nothing. All are worked out with and without the beat, for a chunk that
  // ends its unit and for one that does not, before it is known which it is.
  logic [HoldBits-1:0] whole;
  logic [3:0] enough, roomy;
  logic [3:0][HoldBits-1:0] behind;
  logic ending;
  assign whole = (starts || emit_q) ? HoldBits'(most) : need_q;
  assign ending = (starts || emit_q) && ends;
  for (genvar c = 0; c < 4; c++) begin : gen_cases
    logic [HoldBits-1:0] held, size;
    logic [HoldBits:0] over;
    assign held = (c % 2 == 1) ? grown : kept_q;
    assign size = (c / 2 == 1) ? HoldBits'(left) : whole;
    assign over = (HoldBits + 1)'(held) - (HoldBits + 1)'(size);
    assign enough[c] = !over[HoldBits] && (c % 2 == 1 || kept_q != '0);
    assign roomy[c] = !(c % 2 == 1 ? in_last_i : last_q) && (over[HoldBits] || over <= (HoldBits + 1)'(OutBytes));
    assign behind[c] = enough[c] ? over[HoldBits-1:0] : held;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni || done_o) begin
      emit_q <= 1'b0;
      ready_q <= 1'b1;
      kept_q <= '0;
    end else begin
      emit_q <= enough[{ending, take}];
      ready_q <= roomy[{ending, take}];
      kept_q <= behind[{ending, take}];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= '0;
      free_q <= '0;
      begins_q <= 1'b1;
      empty_q <= 1'b1;
      last_q <= 1'b0;
    end else if (done_o) begin
      first_q <= '0;
      free_q <= '0;
      begins_q <= 1'b1;
      empty_q <= 1'b1;
      last_q <= 1'b0;
    end else if (take || emit_q) begin
      if (emit_q) begins_q <= ends_q;
      if (emit_q) first_q <= first_q + PlaceBits'(need_q);
      if (take) begin
        free_q <= free_q + PlaceBits'(in_bytes_i);
        last_q <= in_last_i;
      end
      empty_q <= !take && kept_q == '0;
    end
  end

endmodule
