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
    parameter int unsigned LineAtoms = 128,
    /// Products of pitches that are made of logic, of four.
    parameter int unsigned LogicSteps = 0
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

  localparam int unsigned TileMoveRowBits = compute_pkg::tile_move_bits(WindowRows);
  localparam int unsigned TileMoveColBits = compute_pkg::tile_move_bits(WindowCols);

  compute_pkg::job_t job_q;
  logic active_q;

  // Steps in atoms: of the pixel, and of the weight tile.
  logic [19:0] row_step, col_step, tap_row_step, tap_col_step;
  registered_scale #(
      .Logic(LogicSteps > 0)
  ) u_row_step (
      .clk_i,
      .enable_i(job_take_o),
      .word_i  (job_i.row_pitch),
      .factor_i(job_i.move_y),
      .scaled_o(row_step)
  );
  registered_scale #(
      .WordBits(12),
      .Logic(LogicSteps > 1)
  ) u_col_step (
      .clk_i,
      .enable_i(job_take_o),
      .word_i  (job_i.col_pitch),
      .factor_i(job_i.move_x),
      .scaled_o(col_step)
  );
  registered_scale #(
      .FactorBits(TileMoveRowBits),
      .Logic(LogicSteps > 2)
  ) u_tap_row_step (
      .clk_i,
      .enable_i(job_take_o),
      .word_i  (job_i.row_pitch),
      .factor_i(job_i.tile_move_y[TileMoveRowBits-1:0]),
      .scaled_o(tap_row_step)
  );
  registered_scale #(
      .WordBits(12),
      .FactorBits(TileMoveColBits),
      .Logic(LogicSteps > 3)
  ) u_tap_col_step (
      .clk_i,
      .enable_i(job_take_o),
      .word_i  (job_i.col_pitch),
      .factor_i(job_i.tile_move_x[TileMoveColBits-1:0]),
      .scaled_o(tap_col_step)
  );

  // Loop counters from 1 on, outermost first: group, kernel row, kernel column, atom, output row, column.
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
  assign one_col = job_q.tile_cols == 12'd1 && job_q.window_w == 4'd1;
  assign one_row = job_q.tile_rows == 12'd1 && job_q.window_h == 4'd1;

  always_ff @(posedge clk_i) begin
    if (job_take_o) begin
      last_col_q <= job_i.tile_cols == 12'd1 && job_i.window_w == 4'd1;
      last_row_q <= job_i.tile_rows == 12'd1 && (job_i.resume ? job_i.skip_y == '0 : job_i.window_h == 4'd1);
      last_atom_q <= job_i.atoms == 12'd1;
      last_kx_q <= job_i.tiles_x == 5'd1;
      last_ky_q <= job_i.tiles_y == 5'd1;
      last_group_q <= job_i.groups == 8'd1;
    end else if (issue) begin
      if (last_col_q) last_col_q <= one_col;
      else if (col_wait_q == '0) last_col_q <= job_q.skip_x == '0 && col_q + 12'd1 == job_q.tile_cols;
      else last_col_q <= col_wait_q == 4'd1 && col_q == job_q.tile_cols;
      if (tile_last) last_row_q <= one_row;
      else if (last_col_q && row_wait_q == '0) last_row_q <= job_q.skip_y == '0 && row_q + 12'd1 == job_q.tile_rows;
      else if (last_col_q) last_row_q <= row_wait_q == 4'd1 && row_q == job_q.tile_rows;
      if (tile_last) last_atom_q <= last_atom_q ? job_q.atoms == 12'd1 : atom_q + 12'd1 == job_q.atoms;
      if (tap_moves) last_kx_q <= last_kx_q ? job_q.tiles_x == 5'd1 : kx_q + 5'd1 == job_q.tiles_x;
      if (tap_row_moves) last_ky_q <= last_ky_q ? job_q.tiles_y == 5'd1 : ky_q + 5'd1 == job_q.tiles_y;
      if (group_moves) last_group_q <= group_q + 8'd1 == job_q.groups;
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
    step_o.centred = job_q.centred;
    step_o.acc_addr = acc_q[11:0];
    step_o.acc_zero = ky_q == 5'd1 && kx_q == 5'd1 && atom_q == 12'd1 && !job_q.accumulate;
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

  logic row_begins, tile_begins;
  assign row_begins = job_take_o || last_col_q;
  assign tile_begins = job_take_o || tile_last;

  // Where the next weight tile begins, a job's first one at its origin: from where that began which begins anew with it.
  logic [19:0] tap_base, tap_step, next_tap;
  always_comb begin
    tap_base = tap_q;
    tap_step = 20'd1;
    if (last_atom_q) begin
      tap_base = tap_begin_q;
      tap_step = tap_col_step;
      if (last_kx_q) begin
        tap_base = kernel_row_q;
        tap_step = tap_row_step;
        if (last_ky_q) begin
          tap_base = origin_q;
          tap_step = 20'(atom_done);
        end
      end
    end
  end
  loaded_adder #(
      .Width(20)
  ) u_tap (
      .load_i  (job_take_o),
      .value_i (job_i.origin),
      .augend_i(tap_base),
      .addend_i(tap_step),
      .sum_o   (next_tap)
  );

  // The tap to come, which is this one until a tile ends, and the pixel.
  logic [16:0] next_tap_y, next_tap_x, next_y, next_x;
  logic rows_again;
  assign rows_again = tap_row_moves && last_ky_q;
  loaded_adder #(
      .Width(17)
  ) u_tap_y (
      .load_i  (job_take_o || rows_again),
      .value_i (17'($signed(job_take_o ? job_i.y0 : job_q.y0))),
      .augend_i(tap_y_q),
      .addend_i(tap_row_moves ? 17'(job_q.tile_move_y) : '0),
      .sum_o   (next_tap_y)
  );
  loaded_adder #(
      .Width(17)
  ) u_tap_x (
      .load_i  (job_take_o || tap_row_moves),
      .value_i (17'($signed(job_take_o ? job_i.x0 : job_q.x0))),
      .augend_i(tap_x_q),
      .addend_i(tap_moves ? 17'(job_q.tile_move_x) : '0),
      .sum_o   (next_tap_x)
  );
  loaded_adder #(
      .Width(17)
  ) u_y (
      .load_i  (tile_begins),
      .value_i (next_tap_y),
      .augend_i(y_q),
      .addend_i(last_col_q ? 17'(job_q.move_y) : '0),
      .sum_o   (next_y)
  );
  loaded_adder #(
      .Width(17)
  ) u_x (
      .load_i  (row_begins),
      .value_i (next_tap_x),
      .augend_i(x_q),
      .addend_i(17'(job_q.move_x)),
      .sum_o   (next_x)
  );

  function automatic logic is_wrapped(input logic signed [16:0] y, input logic signed [16:0] row);
    is_wrapped = y >= row;
  endfunction

  // Whether the row to come has wrapped around, known with its number: a job's first one, a tile's first one, one behind another.
  // Of a tile whose taps stay in their row what was known of the one before.
  logic signed [16:0] before_ring_q, before_tap_ring_q;
  logic first_wraps, first_wraps_q, tap_wraps, tap_wraps_q, wraps;
  assign first_wraps = is_wrapped(17'($signed(job_i.y0)), $signed({1'b0, job_i.ring_row}));
  always_comb begin
    tap_wraps = tap_wraps_q;
    if (tap_row_moves) tap_wraps = last_ky_q ? first_wraps_q : is_wrapped(tap_y_q, before_tap_ring_q);
  end
  assign wraps = job_take_o ? first_wraps : tile_last ? tap_wraps : is_wrapped(y_q, before_ring_q);

  // Where it begins, as if none had wrapped around and as it is, and the address to come.
  logic [19:0] next_line, row_address, next_address;
  loaded_adder #(
      .Width(20)
  ) u_line (
      .load_i  (tile_begins),
      .value_i (next_tap),
      .augend_i(line_q),
      .addend_i(row_step),
      .sum_o   (next_line)
  );
  masked_adder #(
      .Width(20),
      .Subtract(1'b1)
  ) u_ring (
      .augend_i(next_line),
      .addend_i(job_take_o ? job_i.ring_atoms : job_q.ring_atoms),
      .enable_i(wraps),
      .sum_o   (row_address)
  );
  loaded_adder #(
      .Width(20)
  ) u_address (
      .load_i  (row_begins),
      .value_i (row_address),
      .augend_i(address_q),
      .addend_i(col_step),
      .sum_o   (next_address)
  );

  logic [12:0] next_acc_group, next_acc;
  loaded_adder #(
      .Width(13)
  ) u_acc_group (
      .load_i  (job_take_o),
      .value_i (13'(job_i.acc_base)),
      .augend_i(acc_group_q),
      .addend_i(job_q.pixels),
      .sum_o   (next_acc_group)
  );
  loaded_adder #(
      .Width(13)
  ) u_acc (
      .load_i  (tile_begins),
      .value_i ((job_take_o || group_moves) ? next_acc_group : acc_group_q),
      .augend_i(acc_q),
      .addend_i(13'(emit)),
      .sum_o   (next_acc)
  );

  // A negative coordinate is a large one without its sign.
  logic y_inside, x_inside;
  selected_less #(
      .Width(17)
  ) u_y_inside (
      .word_i  (next_y),
      .select_i(job_take_o),
      .first_i ({1'b0, job_q.rows}),
      .second_i({1'b0, job_i.rows}),
      .less_o  (y_inside)
  );
  selected_less #(
      .Width(17)
  ) u_x_inside (
      .word_i  (next_x),
      .select_i(job_take_o),
      .first_i ({1'b0, job_q.cols}),
      .second_i({1'b0, job_i.cols}),
      .less_o  (x_inside)
  );

  always_ff @(posedge clk_i) begin
    if (job_take_o || issue) begin
      y_q <= next_y;
      x_q <= next_x;
      tap_y_q <= next_tap_y;
      tap_x_q <= next_tap_x;
      address_q <= next_address;
      acc_q <= next_acc;
      y_outside_q <= !y_inside;
      x_outside_q <= !x_inside;
    end
    if (job_take_o || (issue && last_col_q)) line_q <= next_line;
    if (job_take_o || (issue && tile_last)) begin
      tap_q <= next_tap;
      tap_wraps_q <= wraps;
    end
    if (job_take_o || (issue && tap_moves)) tap_begin_q <= next_tap;
    if (job_take_o || (issue && tap_row_moves)) kernel_row_q <= next_tap;
    if (job_take_o || (issue && rows_again)) origin_q <= next_tap;
    if (job_take_o || (issue && group_moves)) acc_group_q <= next_acc_group;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
    end else if (job_take_o) begin
      active_q <= !job_i.is_mark;
      job_q <= job_i;
      group_q <= 8'd1;
      ky_q <= 5'd1;
      kx_q <= 5'd1;
      atom_q <= 12'd1;
      row_q <= 12'd1;
      col_q <= 12'd1;
      row_wait_q <= job_i.resume ? job_i.skip_y : job_i.window_h - 4'd1;
      col_wait_q <= job_i.window_w - 4'd1;
      line_index_q <= '0;
      tile_first_q <= 1'b1;
      first_wraps_q <= first_wraps;
      before_ring_q <= $signed({1'b0, job_i.ring_row}) - $signed(17'(job_i.move_y));
      before_tap_ring_q <= $signed({1'b0, job_i.ring_row}) - $signed(17'(job_i.tile_move_y));
    end else if (issue) begin
      tile_first_q <= tile_last;
      line_index_q <= last_col_q ? '0 : line_index_q + 12'd1;
      if (last_col_q || col_wait_q == '0) col_q <= last_col_q ? 12'd1 : col_q + 12'd1;
      col_wait_q <= last_col_q ? job_q.window_w - 4'd1 : (col_wait_q == '0) ? job_q.skip_x : col_wait_q - 4'd1;
      if (row_moves) row_q <= last_row_q ? 12'd1 : row_q + 12'd1;
      if (last_col_q) begin
        row_wait_q <= last_row_q ? job_q.window_h - 4'd1 : (row_wait_q == '0) ? job_q.skip_y : row_wait_q - 4'd1;
      end
      if (tile_last) atom_q <= last_atom_q ? 12'd1 : atom_q + 12'd1;
      if (tap_moves) kx_q <= last_kx_q ? 5'd1 : kx_q + 5'd1;
      if (tap_row_moves) ky_q <= last_ky_q ? 5'd1 : ky_q + 5'd1;
      if (group_moves) begin
        group_q <= group_q + 8'd1;
        active_q <= !last_group_q;
      end
    end
  end

endmodule
