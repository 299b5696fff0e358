/// Walks a convolution: for each kernel group, kernel tap and channel atom (one weight tile), every
/// pixel of the output tile, one feature atom per cycle. Depthwise: for each piece and window of taps
/// (one weight tile), every slab pixel that the tile's windows cover, row by row; a step has an
/// output when its window is complete and its place on the stride's grid.
module conv_sequencer #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    /// Accumulator words.
    parameter int unsigned AccWords = 512,
    /// Depthwise window.
    parameter int unsigned WindowRows = 2,
    parameter int unsigned WindowCols = 4,
    /// Columns that its lines hold.
    parameter int unsigned LineAtoms = 128
) (
    input  logic               clk_i,
    /// Synchronous reset, active low.
    input  logic               rst_ni,
    input  logic               halt_i,
    /// Next convolution.
    input  logic               job_valid_i,
    input  compute_pkg::job_t  job_i,
    output logic               job_take_o,
    /// A weight tile is ready that no earlier step has claimed.
    input  logic               tile_ready_i,
    /// The step of this cycle is a tile's first and claims it.
    output logic               claim_o,
    /// Of the feature that the step reads, if it reads one: no step counts whose read is refused.
    output logic [       19:0] read_addr_o,
    input  logic               read_refused_i,
    input  logic [       20:0] cbuf_limit_i,
    /// The step that enters the pipeline with this cycle's read.
    output logic               step_valid_o,
    output compute_pkg::step_t step_o,
    /// A CV_MARK was reached.
    output unit_pkg::mark_t                mark_o,
    output logic               idle_o,
    /// Why no step was issued in this cycle.
    output logic               stall_weights_o,
    output logic               stall_bank_o,
    output logic               cbuf_error_o,
    output logic               line_error_o,
    output logic               acc_error_o,
    output logic [       12:0] acc_error_word_o
);

  localparam int unsigned HeightBits = $clog2(WindowRows + 1);
  localparam int unsigned WidthBits = $clog2(WindowCols + 1);

  compute_pkg::job_t job_q;
  // Steps in atoms: of the pixel, and of the tap.
  logic [19:0] row_step_q, col_step_q, tap_row_step_q, tap_col_step_q;
  logic active_q;

  logic [19:0] row_step, col_step, tap_row_step, tap_col_step;
  scaled_word u_row_step (
      .word_i  (job_i.row_pitch),
      .factor_i(job_i.move_y),
      .scaled_o(row_step)
  );
  scaled_word u_col_step (
      .word_i  (20'(job_i.col_pitch)),
      .factor_i(job_i.move_x),
      .scaled_o(col_step)
  );
  scaled_word #(
      .FactorBits(HeightBits)
  ) u_tap_row_step (
      .word_i  (job_i.tap_row_pitch),
      .factor_i(job_i.window_h[HeightBits-1:0]),
      .scaled_o(tap_row_step)
  );
  scaled_word #(
      .FactorBits(WidthBits)
  ) u_tap_col_step (
      .word_i  (job_i.tap_col_pitch),
      .factor_i(job_i.window_w[WidthBits-1:0]),
      .scaled_o(tap_col_step)
  );

  // Loop counters, outermost first: group, kernel row, kernel column, atom, output row, column.
  logic [7:0] group_q;
  logic [4:0] ky_q, kx_q;
  logic [11:0] atom_q, row_q, col_q;
  // Slab rows and columns to come before the next one with outputs; none unless depthwise.
  logic [3:0] row_wait_q, col_wait_q;
  logic [11:0] line_index_q;
  logic tile_first_q;

  // Cbuf addresses as if no row wrapped around, modulo 2^20: start of the group, of the kernel row,
  // of the tap at its first atom and at this one, of the output row.
  logic [19:0] origin_q, kernel_row_q, tap_begin_q, tap_q, line_q;
  // Slab coordinates: of the tap for output (0, 0); of the pixel.
  logic signed [16:0] tap_y_q, tap_x_q, y_q, x_q;
  logic [12:0] acc_group_q, acc_q;
  // The pixel's, with its row wrapped around.
  logic [19:0] address_q;
  // Whether it lies outside the slab.
  logic y_outside_q, x_outside_q;

  // Whether the loops are at their last: known from the cycle before. Of the job's first step and its tiles' first:
  // whether there is only one.
  logic last_col_q, last_row_q, last_atom_q, last_kx_q, last_ky_q, last_group_q, emit;
  // Which counters a step moves. It is known late that there is a step at all: these and that are kept as they are, so that each
  // register's enable is one function behind it and none is derived from another's.
  (* keep *) logic issue, row_moves, tile_last, tap_moves, tap_row_moves, group_moves;
  logic job_last;
  logic one_col, one_row;
  assign one_col = job_q.last_col == '0 && job_q.window_w == 4'd1;
  assign one_row = job_q.last_row == '0 && job_q.window_h == 4'd1;

  always_ff @(posedge clk_i) begin
    if (job_take_o) begin
      last_col_q <= job_i.last_col == '0 && job_i.window_w == 4'd1;
      last_row_q <= job_i.last_row == '0 && (job_i.resume ? job_i.skip_y == '0 : job_i.window_h == 4'd1);
      last_atom_q <= job_i.last_atom == '0;
      last_kx_q <= job_i.last_tile_x == '0;
      last_ky_q <= job_i.last_tile_y == '0;
      last_group_q <= job_i.last_group == '0;
    end else if (issue) begin
      if (last_col_q) last_col_q <= one_col;
      else if (col_wait_q == '0) last_col_q <= job_q.skip_x == '0 && col_q + 12'd1 == job_q.last_col;
      else last_col_q <= col_wait_q == 4'd1 && col_q == job_q.last_col;
      if (tile_last) last_row_q <= one_row;
      else if (last_col_q && row_wait_q == '0) last_row_q <= job_q.skip_y == '0 && row_q + 12'd1 == job_q.last_row;
      else if (last_col_q) last_row_q <= row_wait_q == 4'd1 && row_q == job_q.last_row;
      if (tile_last) last_atom_q <= last_atom_q ? job_q.last_atom == '0 : atom_q + 12'd1 == job_q.last_atom;
      if (tap_moves) last_kx_q <= last_kx_q ? job_q.last_tile_x == '0 : kx_q + 5'd1 == job_q.last_tile_x;
      if (tap_row_moves) last_ky_q <= last_ky_q ? job_q.last_tile_y == '0 : ky_q + 5'd1 == job_q.last_tile_y;
      if (group_moves) last_group_q <= group_q + 8'd1 == job_q.last_group;
    end
  end

  logic [6:0] lane, lane_end;
  logic [5:0] rotate;
  logic last_piece, atom_done;
  channel_pieces #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK)
  ) u_pieces (
      .clk_i,
      .start_i(job_take_o),
      .byte_i(job_i.first_byte),
      .depthwise_i(job_q.depthwise),
      .group_end_i(last_group_q ? job_q.last_kernels : 7'(AtomicK)),
      .advance_i(issue && tap_row_moves && last_ky_q),
      .lane_o(lane),
      .lane_end_o(lane_end),
      .group_last_o(last_piece),
      .atom_last_o(atom_done),
      .rotate_o(rotate)
  );
  assign emit = col_wait_q == '0 && row_wait_q == '0;
  assign row_moves = last_col_q && (last_row_q || row_wait_q == '0);
  assign tile_last = last_col_q && last_row_q;
  assign tap_moves = tile_last && last_atom_q;
  assign tap_row_moves = tap_moves && last_kx_q;
  assign group_moves = tap_row_moves && last_ky_q && last_piece;
  assign job_last = group_moves && last_group_q;

  logic padding, want, read;
  assign padding = y_outside_q || x_outside_q;
  assign want = active_q && !halt_i && (!tile_first_q || tile_ready_i);
  assign read = want && !padding;
  assign read_addr_o = address_q;
  assign issue = want && (padding || !read_refused_i);
  assign claim_o = issue && tile_first_q;

  assign cbuf_error_o = read && 21'(read_addr_o) >= cbuf_limit_i;
  assign line_error_o = want && job_q.window_h != 4'd1 && line_index_q >= 12'(LineAtoms);
  assign acc_error_o = want && emit && acc_q >= 13'(AccWords);
  assign acc_error_word_o = acc_q;
  assign stall_weights_o = active_q && tile_first_q && !tile_ready_i;
  assign stall_bank_o = read && read_refused_i;

  assign step_valid_o = issue;
  always_comb begin
    step_o.first = tile_first_q;
    step_o.padding = padding;
    step_o.depthwise = job_q.depthwise;
    step_o.maximum = job_q.maximum;
    step_o.emit = emit;
    step_o.line = line_index_q;
    step_o.lane = lane;
    step_o.lane_end = job_q.depthwise ? lane_end : 7'(AtomicK);
    step_o.rotate = rotate;
    step_o.zero_point = job_q.zero_point;
    step_o.acc_addr = acc_q[11:0];
    step_o.acc_zero = ky_q == '0 && kx_q == '0 && atom_q == '0 && !job_q.accumulate;
    step_o.last = job_last;
    step_o.post_load = job_last && job_q.post_load;
    step_o.post_store = job_last && job_q.post_store;
  end

  // A job is taken in the cycle behind the last step of the one before, not in it: what decides on a step comes late
  // and would decide on all that a new job changes.
  assign job_take_o = job_valid_i && !halt_i && !active_q;
  assign mark_o.valid = job_take_o && job_i.is_mark;
  assign mark_o.id = job_i.mark_id;
  assign idle_o = !active_q && !job_valid_i;

  logic [19:0] tap_base, tap_step, next_tap;
  logic signed [16:0] next_tap_y, next_tap_x;

  // Start of the next weight tile: from that of what begins anew with it.
  always_comb begin
    tap_base = tap_q;
    tap_step = 20'd1;
    next_tap_y = tap_y_q;
    next_tap_x = tap_x_q;
    if (last_atom_q) begin
      tap_base = tap_begin_q;
      tap_step = tap_col_step_q;
      next_tap_x = tap_x_q + $signed(17'(job_q.tile_move_x));
      if (last_kx_q) begin
        tap_base = kernel_row_q;
        tap_step = tap_row_step_q;
        next_tap_x = 17'($signed(job_q.x0));
        next_tap_y = tap_y_q + $signed(17'(job_q.tile_move_y));
        if (last_ky_q) begin
          tap_base = origin_q;
          tap_step = 20'(atom_done);
          next_tap_y = 17'($signed(job_q.y0));
        end
      end
    end
  end
  assign next_tap = tap_base + tap_step;

  function automatic logic is_wrapped(input logic signed [16:0] y, input logic signed [16:0] row);
    is_wrapped = y >= row;
  endfunction

  // Rows that have wrapped around: the next one, and what the next weight tile may begin with.
  logic signed [16:0] ring_row, before_ring_q;
  logic row_wraps, tap_wraps;
  // Less the ring's atoms or not: both are known before it is known which.
  logic [19:0] next_line;
  assign next_line = line_q + row_step_q;
  assign ring_row = $signed({1'b0, job_q.ring_row});
  assign row_wraps = is_wrapped(y_q, before_ring_q);
  always_comb begin
    tap_wraps = is_wrapped(tap_y_q, ring_row);
    if (last_atom_q && last_kx_q) begin
      tap_wraps = last_ky_q ? is_wrapped(17'($signed(job_q.y0)), ring_row) :
          is_wrapped(tap_y_q + $signed(17'(job_q.tile_move_y)), ring_row);
    end
  end

  // The pixel to come.
  logic signed [16:0] next_y, next_x;
  always_comb begin
    if (job_take_o) begin
      next_y = 17'($signed(job_i.y0));
      next_x = 17'($signed(job_i.x0));
    end else if (!last_col_q) begin
      next_y = y_q;
      next_x = x_q + $signed(17'(job_q.move_x));
    end else if (!last_row_q) begin
      next_y = y_q + $signed(17'(job_q.move_y));
      next_x = tap_x_q;
    end else begin
      next_y = next_tap_y;
      next_x = next_tap_x;
    end
  end

  // A negative coordinate is a large one without its sign.
  always_ff @(posedge clk_i) begin
    if (job_take_o || issue) begin
      y_q <= next_y;
      x_q <= next_x;
      y_outside_q <= {next_y} >= {1'b0, job_take_o ? job_i.rows : job_q.rows};
      x_outside_q <= {next_x} >= {1'b0, job_take_o ? job_i.cols : job_q.cols};
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
    end else if (job_take_o) begin
      active_q <= !job_i.is_mark;
      job_q <= job_i;
      row_step_q <= row_step;
      col_step_q <= col_step;
      tap_row_step_q <= tap_row_step;
      tap_col_step_q <= tap_col_step;
      group_q <= '0;
      ky_q <= '0;
      kx_q <= '0;
      atom_q <= '0;
      row_q <= '0;
      col_q <= '0;
      row_wait_q <= job_i.resume ? job_i.skip_y : job_i.window_h - 4'd1;
      col_wait_q <= job_i.window_w - 4'd1;
      line_index_q <= '0;
      tile_first_q <= 1'b1;
      origin_q <= job_i.origin;
      kernel_row_q <= job_i.origin;
      tap_begin_q <= job_i.origin;
      tap_q <= job_i.origin;
      line_q <= job_i.origin;
      tap_y_q <= 17'($signed(job_i.y0));
      tap_x_q <= 17'($signed(job_i.x0));
      address_q <= is_wrapped(17'($signed(job_i.y0)), $signed({1'b0, job_i.ring_row})) ?
          job_i.origin - job_i.ring_atoms : job_i.origin;
      before_ring_q <= $signed({1'b0, job_i.ring_row}) - $signed(17'(job_i.move_y));
      acc_group_q <= 13'(job_i.acc_base);
      acc_q <= 13'(job_i.acc_base);
    end else if (issue) begin
      tile_first_q <= tile_last;
      line_index_q <= last_col_q ? '0 : line_index_q + 12'd1;
      acc_q <= acc_q + 13'(emit);
      if (last_col_q || col_wait_q == '0) col_q <= last_col_q ? '0 : col_q + 12'd1;
      col_wait_q <= last_col_q ? job_q.window_w - 4'd1 : (col_wait_q == '0) ? job_q.skip_x : col_wait_q - 4'd1;
      address_q <= address_q + col_step_q;
      if (row_moves) row_q <= last_row_q ? '0 : row_q + 12'd1;
      if (last_col_q) begin
        row_wait_q <= last_row_q ? job_q.window_h - 4'd1 : (row_wait_q == '0) ? job_q.skip_y : row_wait_q - 4'd1;
        line_q <= next_line;
        address_q <= row_wraps ? next_line - job_q.ring_atoms : next_line;
      end
      if (tile_last) begin
        atom_q <= last_atom_q ? '0 : atom_q + 12'd1;
        acc_q <= acc_group_q;
        tap_q <= next_tap;
        if (last_atom_q) tap_begin_q <= next_tap;
        if (last_atom_q && last_kx_q) kernel_row_q <= next_tap;
        if (last_atom_q && last_kx_q && last_ky_q) origin_q <= next_tap;
        line_q <= next_tap;
        tap_y_q <= next_tap_y;
        tap_x_q <= next_tap_x;
        address_q <= tap_wraps ? next_tap - job_q.ring_atoms : next_tap;
      end
      if (tap_moves) kx_q <= last_kx_q ? '0 : kx_q + 5'd1;
      if (tap_row_moves) ky_q <= last_ky_q ? '0 : ky_q + 5'd1;
      if (group_moves) begin
        group_q <= group_q + 8'd1;
        acc_group_q <= acc_group_q + job_q.pixels;
        acc_q <= acc_group_q + job_q.pixels;
        active_q <= !last_group_q;
      end
    end
  end

endmodule
