/// Puts bytes into the cbuf, atom by atom. Each pixel begins an atom; its last one is filled up with zeros.
module micro_filler #(
    parameter int unsigned AtomicC = 2
) (
    input  logic                 clk_i,
    /// Synchronous reset, active low.
    input  logic                 rst_ni,
    /// Atom of the first pixel.
    input  logic                 dest_we_i,
    /// Bytes of a pixel. The next byte begins one.
    input  logic                 pixel_we_i,
    input  logic [         19:0] value_i,
    /// A byte is inside a pixel that is not complete.
    output logic                 inside_o,
    input  logic                 byte_valid_i,
    input  logic [          7:0] byte_i,
    /// Usable atoms.
    input  logic [         20:0] limit_i,
    output logic                 we_o,
    output logic [         19:0] atom_o,
    output logic [AtomicC*8-1:0] data_o,
    /// The atom that was written in the cycle before is none.
    output logic                 range_o,
    output logic [         19:0] range_atom_o
);

  localparam int unsigned LaneBits = $clog2(AtomicC);

  logic [19:0] dest_q;
  logic [15:0] pixel_q, left_q;
  logic [LaneBits-1:0] lane_q;
  logic [AtomicC*8-1:0] atom_q;

  logic last, full, complete, inside_q;
  assign last = left_q == 16'd1;
  assign full = lane_q == LaneBits'(AtomicC - 1);
  assign complete = byte_valid_i && (last || full);
  assign inside_o = inside_q;
  always_comb begin
    for (int unsigned i = 0; i < AtomicC; i++) begin
      data_o[8*i+:8] = (lane_q == LaneBits'(i)) ? byte_i : (lane_q > LaneBits'(i)) ? atom_q[8*i+:8] : '0;
    end
  end
  assign atom_o  = dest_q;
  assign we_o   = complete;

  logic written_q;
  logic [19:0] written_atom_q;
  assign range_o = written_q && {1'b0, written_atom_q} >= limit_i;
  assign range_atom_o = written_atom_q;
  always_ff @(posedge clk_i) begin
    written_q <= complete && rst_ni;
    written_atom_q <= dest_q;
  end

  always_ff @(posedge clk_i) begin
    if (byte_valid_i) begin
      atom_q <= data_o;
      lane_q <= complete ? '0 : lane_q + 1'b1;
      left_q <= last ? pixel_q : left_q - 1'b1;
      inside_q <= !last;
    end
    if (pixel_we_i) begin
      pixel_q <= value_i[15:0];
      left_q <= value_i[15:0];
      lane_q <= '0;
      inside_q <= 1'b0;
    end
    if (dest_we_i) dest_q <= value_i;
    else if (complete) dest_q <= dest_q + 1'b1;
  end

endmodule
