/// Writes a drained tile to the cbuf: an atom for each pixel and kernel group, in pieces as they
/// come from the drain.
module tile_keeper #(
    /// Bytes per atom; hardware with another number of kernels per group keeps nothing.
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    parameter int unsigned PostLanes = 8,
    /// Derived, not to be set.
    parameter int unsigned CountBits = $clog2(PostLanes + 1)
) (
    input  logic                   clk_i,
    /// Begins a tile; what describes it must hold until its last piece.
    input  logic                   start_i,
    input  logic [           19:0] dest_i,
    input  logic [           11:0] pixels_i,
    input  logic [            7:0] groups_i,
    input  logic [            6:0] last_kernels_i,
    input  logic [           11:0] cols_i,
    input  logic [           11:0] pixel_step_i,
    input  logic [           19:0] row_step_i,
    input  logic [           20:0] cbuf_limit_i,
    /// A piece is there for the cbuf, and is taken in this cycle.
    input  logic                   valid_i,
    input  logic                   take_i,
    input  logic [PostLanes*8-1:0] data_i,
    input  logic [  CountBits-1:0] count_i,
    /// By byte of the atom.
    output logic [    AtomicC-1:0] we_o,
    output logic [           19:0] address_o,
    output logic [  AtomicC*8-1:0] data_o,
    /// The piece is the tile's last.
    output logic                   last_o,
    output logic                   error_o
);

  logic [19:0] row_q, pixel_q;
  logic [11:0] pixels_q, col_q;
  logic [7:0] group_q;
  logic [6:0] done_q;  // kernels of the group

  logic last_group, last_piece, last_col, last_pixel;
  logic [6:0] kernels, done;
  assign last_group = group_q == groups_i - 8'd1;
  assign kernels = last_group ? last_kernels_i : 7'(AtomicK);
  assign done = done_q + 7'(count_i);
  assign last_piece = done == kernels;
  assign last_col = col_q == cols_i - 12'd1;
  assign last_pixel = pixels_q == pixels_i - 12'd1;
  assign last_o = last_piece && last_group && last_pixel;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      row_q <= dest_i;
      pixel_q <= dest_i;
      pixels_q <= '0;
      col_q <= '0;
      group_q <= '0;
      done_q <= '0;
    end else if (take_i) begin
      done_q <= last_piece ? '0 : done;
      if (last_piece) begin
        group_q <= last_group ? '0 : group_q + 8'd1;
        if (last_group) begin
          pixels_q <= pixels_q + 12'd1;
          col_q <= last_col ? '0 : col_q + 12'd1;
          pixel_q <= last_col ? row_q + row_step_i : pixel_q + 20'(pixel_step_i);
          if (last_col) row_q <= row_q + row_step_i;
        end
      end
    end
  end

  assign address_o = pixel_q + 20'(group_q);
  assign error_o = valid_i && (AtomicC != AtomicK || 21'(address_o) >= cbuf_limit_i);

  // From the piece's first byte on; behind the last one zeros fill the atom.
  logic [PostLanes*8-1:0] piece;
  logic [AtomicC-1:0] from, up_to;
  assign piece = data_i & ~({(PostLanes * 8) {1'b1}} << {count_i, 3'b000});
  assign from = {AtomicC{1'b1}} << done_q;
  assign up_to = last_piece ? '0 : {AtomicC{1'b1}} << done;
  assign we_o = (valid_i && !error_o) ? from & ~up_to : '0;
  assign data_o = (AtomicC * 8)'(piece) << {done_q, 3'b000};

endmodule
