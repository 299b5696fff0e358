/// A ring of bytes: some are written from any place on, some read from any place on, in each cycle.
/// Byte lanes with a memory each and a rotator before and, where bytes are to come out straight, behind them take the place of
/// shifters over all bytes.
module byte_ring #(
    /// Bytes of the ring at least.
    parameter int unsigned Bytes = 36,
    parameter int unsigned InBytes = 4,
    parameter int unsigned OutBytes = 4,
    /// Places and counts are multiples of these bytes, a power of two.
    parameter int unsigned Grain = 1,
    /// The first byte read comes out as byte 0; otherwise as byte `out_place_i` modulo Lanes, and those that follow around the end.
    parameter bit Straight = 1'b1,
    /// Bytes are written to the places that they have in `in_data_i`, modulo InLanes: nothing is turned.
    parameter bit Aligned = 1'b0,
    /// Derived, not to be set.
    parameter int unsigned InLanes = 1 << $clog2(InBytes),
    parameter int unsigned Lanes = 1 << $clog2(InBytes > OutBytes ? InBytes : OutBytes),
    parameter int unsigned Rows = (Bytes <= Lanes) ? 1 : 1 << $clog2((Bytes + Lanes - 1) / Lanes),
    parameter int unsigned PlaceBits = (Lanes * Rows > 1) ? $clog2(Lanes * Rows) : 1,
    parameter int unsigned InPlaceBits = (InLanes > 1) ? $clog2(InLanes) : 1,
    parameter int unsigned InCountBits = $clog2(InBytes + 1),
    parameter int unsigned OutLanes = Straight ? OutBytes : Lanes
) (
    input  logic                   clk_i,
    /// Writes `in_bytes_i` bytes of `in_data_i`, from byte `in_offset_i` on, to `in_place_i` and what follows.
    input  logic                   write_i,
    input  logic [PlaceBits-1:0]   in_place_i,
    input  logic [InLanes*8-1:0]   in_data_i,
    input  logic [InPlaceBits-1:0] in_offset_i,
    input  logic [InCountBits-1:0] in_bytes_i,
    /// The bytes from there on.
    input  logic [PlaceBits-1:0]   out_place_i,
    output logic [OutLanes*8-1:0]  out_data_o
);

  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int unsigned GrainBits = $clog2(Grain);

  logic [LaneBits-1:0] in_lane, out_lane;
  logic [RowBits-1:0] in_row, out_row;
  assign in_lane = in_place_i[LaneBits-1:0];
  assign out_lane = out_place_i[LaneBits-1:0];
  assign in_row = RowBits'(in_place_i >> LaneBits);
  assign out_row = RowBits'(out_place_i >> LaneBits);

  // All lanes see the bytes rotated, as often as they fit.
  logic [InPlaceBits-1:0] turn;
  logic [InLanes*8-1:0] turned;
  assign turn = Aligned ? '0 : InPlaceBits'(in_place_i) - in_offset_i;
  always_comb begin
    turned = in_data_i;
    for (int unsigned s = GrainBits; (1 << s) < InLanes; s++) begin
      if (turn[s]) turned = (turned << (8 << s)) | (turned >> (InLanes * 8 - (8 << s)));
    end
  end

  // Lanes below the first one written or read are in the next row.
  logic [Lanes-1:0] in_next, out_next, counted, in_lanes;
  assign in_next = ~({Lanes{1'b1}} << in_lane);
  assign out_next = ~({Lanes{1'b1}} << out_lane);
  assign counted = ~({Lanes{1'b1}} << in_bytes_i);
  assign in_lanes = Lanes'({counted, counted} << in_lane >> Lanes);
  logic [RowBits-1:0] in_row_after, out_row_after;
  assign in_row_after = (Rows > 1) ? in_row + 1'b1 : '0;
  assign out_row_after = (Rows > 1) ? out_row + 1'b1 : '0;

  logic [Lanes*8-1:0] lanes, turned_back;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lanes
    logic [7:0] mem[Rows];
    always_ff @(posedge clk_i) begin
      if (write_i && in_lanes[l]) begin
        mem[in_next[l]?in_row_after : in_row] <= turned[(l%InLanes)*8+:8];
      end
    end
    assign lanes[l*8+:8] = mem[out_next[l]?out_row_after : out_row];
  end

  always_comb begin
    turned_back = lanes;
    for (int unsigned s = GrainBits; Straight && (1 << s) < Lanes; s++) begin
      if (out_lane[s]) turned_back = (turned_back >> (8 << s)) | (turned_back << (Lanes * 8 - (8 << s)));
    end
  end
  assign out_data_o = turned_back[OutLanes*8-1:0];

endmodule
