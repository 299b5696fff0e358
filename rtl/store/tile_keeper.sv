/// Writes a drained tile to the cbuf: the kernels of each pixel in consecutive bytes from a byte of an
/// atom on, in chunks as they come from the drain. A chunk that reaches into further atoms takes a
/// cycle for each.
module tile_keeper #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned PostLanes = 8,
    /// Derived, not to be set.
    parameter int unsigned CountBits = $clog2(PostLanes + 1)
) (
    input  logic                   clk_i,
    /// Begins a tile; what describes it must hold until its last part.
    input  logic                   start_i,
    input  logic [           19:0] dest_i,
    input  logic [            5:0] dest_byte_i,
    input  logic [           11:0] pixels_i,
    /// A pixel's last kernel group is not full.
    input  logic                   fill_i,
    input  logic [           11:0] cols_i,
    input  logic [           11:0] pixel_step_i,
    input  logic [           19:0] row_step_i,
    input  logic [           20:0] cbuf_limit_i,
    /// A chunk is there; its next part goes to the cbuf in this cycle.
    input  logic                   valid_i,
    input  logic                   take_i,
    input  logic [PostLanes*8-1:0] data_i,
    input  logic [  CountBits-1:0] count_i,
    /// The chunk ends its pixel.
    input  logic                   pixel_i,
    /// By byte of the atom.
    output logic [    AtomicC-1:0] we_o,
    output logic [           19:0] address_o,
    output logic [  AtomicC*8-1:0] data_o,
    /// The part is the chunk's last, and the tile's.
    output logic                   chunk_last_o,
    output logic                   last_o,
    output logic                   error_o
);

  logic [19:0] row_q, pixel_q, atom_q;
  logic [11:0] pixels_q, cols_q;  // left in the tile and in the row, this one with them
  logic last_pixel_q, last_col_q;
  logic [6:0] byte_q;  // of the atom
  logic [6:0] reach_q;  // bytes of the chunk that are written when the atom is full
  // The reach as far as chunks go: of all that are longer one stands for the others.
  logic [CountBits:0] short_reach_q;
  logic [6:0] base_q;  // the atom's byte for the chunk's first, modulo 2^7: AtomicC less the reach

  logic fits, fills, pixel_done;
  logic [6:0] count;
  assign count = 7'(count_i);
  assign fits = {1'b0, count_i} <= short_reach_q;
  assign fills = {1'b0, count_i} >= short_reach_q;
  assign pixel_done = fits && pixel_i;
  assign chunk_last_o = fits;
  assign last_o = pixel_done && last_pixel_q;

  // Where a tile begins, or the next row, pixel or atom.
  logic [19:0] next_row, next_pixel, next_atom;
  logic [11:0] next_pixels, next_cols;
  loaded_adder #(
      .Width(20)
  ) u_row (
      .load_i  (start_i),
      .value_i (dest_i),
      .augend_i(row_q),
      .addend_i(row_step_i),
      .sum_o   (next_row)
  );
  loaded_adder #(
      .Width(20)
  ) u_pixel (
      .load_i  (start_i || last_col_q),
      .value_i (next_row),
      .augend_i(pixel_q),
      .addend_i(20'(pixel_step_i)),
      .sum_o   (next_pixel)
  );
  loaded_adder #(
      .Width(20)
  ) u_atom (
      .load_i  (start_i || pixel_done),
      .value_i (next_pixel),
      .augend_i(atom_q),
      .addend_i(20'd1),
      .sum_o   (next_atom)
  );
  loaded_adder #(
      .Width(12)
  ) u_pixels (
      .load_i  (start_i),
      .value_i (pixels_i),
      .augend_i(pixels_q),
      .addend_i('1),
      .sum_o   (next_pixels)
  );
  loaded_adder #(
      .Width(12)
  ) u_cols (
      .load_i  (start_i || last_col_q),
      .value_i (cols_i),
      .augend_i(cols_q),
      .addend_i('1),
      .sum_o   (next_cols)
  );

  logic [6:0] next_reach;
  always_comb begin
    if (start_i || pixel_done) next_reach = 7'(AtomicC) - 7'(dest_byte_i);
    else if (!fits) next_reach = reach_q + 7'(AtomicC);
    else if (fills) next_reach = 7'(AtomicC);
    else next_reach = reach_q - count;
  end

  always_ff @(posedge clk_i) begin
    if (start_i || take_i) begin
      reach_q <= next_reach;
      short_reach_q <= (next_reach > 7'(PostLanes)) ? (CountBits + 1)'(PostLanes + 1) : (CountBits + 1)'(next_reach);
      if (start_i || pixel_done) begin
        byte_q <= 7'(dest_byte_i);
        base_q <= 7'(dest_byte_i);
      end else if (!fits) begin
        byte_q <= '0;
        base_q <= base_q - 7'(AtomicC);
      end else if (fills) begin
        byte_q <= '0;
        base_q <= '0;
      end else begin
        byte_q <= base_q + count;
        base_q <= base_q + count;
      end
    end
    if (start_i) begin
      last_pixel_q <= pixels_i == 12'd1;
      last_col_q <= cols_i == 12'd1;
    end else if (take_i && pixel_done) begin
      last_pixel_q <= pixels_q == 12'd2;
      last_col_q <= last_col_q ? cols_i == 12'd1 : cols_q == 12'd2;
    end
    if (start_i || (take_i && (pixel_done || fills))) atom_q <= next_atom;
    if (start_i || (take_i && pixel_done)) begin
      pixel_q <= next_pixel;
      pixels_q <= next_pixels;
      cols_q <= next_cols;
    end
    if (start_i || (take_i && pixel_done && last_col_q)) row_q <= next_row;
  end

  assign address_o = atom_q;
  assign error_o = valid_i && (21'(address_o) >= cbuf_limit_i || 7'(dest_byte_i) >= 7'(AtomicC));

  // From the part's first byte on. Zeros fill the atom behind a group that is not full.
  logic [PostLanes-1:0][7:0] kept;
  logic [(AtomicC+PostLanes)*8-1:0] placed;
  logic [AtomicC-1:0] from, behind;
  for (genvar b = 0; b < PostLanes; b++) begin : gen_kept
    assign kept[b] = (count > 7'(b)) ? data_i[b*8+:8] : '0;
  end
  // The chunk's first byte may belong up to PostLanes bytes before the atom.
  assign placed = ((AtomicC + PostLanes) * 8)'(kept) << {base_q + 7'(PostLanes), 3'b000};
  assign from = {AtomicC{1'b1}} << byte_q;
  assign behind = (!fits || (pixel_i && fill_i)) ? '0 : {AtomicC{1'b1}} << 7'(base_q + count);
  assign we_o = valid_i ? from & ~behind : '0;
  assign data_o = placed[PostLanes*8+:AtomicC*8];

endmodule
