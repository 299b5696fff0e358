/// A convolution's steps are its loops (group, kernel row, kernel column, atom, output row, output column), each with the address,
/// the padding and the accumulator that the command set says. Without the depthwise window's waits.
module conv_sequencer_properties (
    input logic              clk_i,
    input logic              halt_i,
    input logic              job_valid_i,
    input compute_pkg::job_t job_i,
    input logic              tile_ready_i,
    input logic              refuse_i
);

  logic rst_n, job_take, claim, step_valid, idle, stall_weights, stall_bank, cbuf_error, line_error, acc_error;
  logic [19:0] read_addr;
  logic [12:0] acc_error_word;
  compute_pkg::step_t step;
  unit_pkg::mark_t mark;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  conv_sequencer #(
      .AtomicC(2),
      .AtomicK(2),
      .AccWords(16),
      .LogicSteps(4)
  ) u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .halt_i,
      .job_valid_i,
      .job_i,
      .job_take_o(job_take),
      .tile_ready_i,
      .claim_o(claim),
      .read_addr_o(read_addr),
      .read_refused_i(refuse_i),
      .cbuf_limit_i(21'd64),
      .step_valid_o(step_valid),
      .step_o(step),
      .mark_o(mark),
      .idle_o(idle),
      .stall_weights_o(stall_weights),
      .stall_bank_o(stall_bank),
      .cbuf_error_o(cbuf_error),
      .line_error_o(line_error),
      .acc_error_o(acc_error),
      .acc_error_word_o(acc_error_word)
  );

  function automatic logic is_few(input logic [11:0] count);
    is_few = count != '0 && count < 4;
  endfunction

  // Short loops, any distances.
  function automatic logic is_small(input compute_pkg::job_t of);
    is_small = is_few(12'(of.groups)) && is_few(12'(of.tiles_y)) && is_few(12'(of.tiles_x)) && is_few(of.atoms) && is_few(of.tile_rows) &&
        is_few(of.tile_cols) &&
        of.move_y < 4 && of.move_x < 4 && of.tile_move_y < 4 && of.tile_move_x < 4 && !of.depthwise && !of.resume && !of.maximum &&
        of.window_h == 1 && of.window_w == 1 && of.skip_y == 0 && of.skip_x == 0 && of.first_byte == 0 && of.last_kernels != 0 &&
        of.last_kernels <= 2 && of.pixels == 13'(of.tile_rows) * 13'(of.tile_cols) &&
        $signed(of.y0) >= -64 && $signed(of.y0) < 64 && $signed(of.x0) >= -64 && $signed(of.x0) < 64;
  endfunction

  compute_pkg::job_t job;
  logic active;
  logic [1:0] last_group, last_ky, last_kx, last_atom, last_row, last_col;
  assign last_group = 2'(job.groups - 8'd1);
  assign last_ky = 2'(job.tiles_y - 5'd1);
  assign last_kx = 2'(job.tiles_x - 5'd1);
  assign last_atom = 2'(job.atoms - 12'd1);
  assign last_row = 2'(job.tile_rows - 12'd1);
  assign last_col = 2'(job.tile_cols - 12'd1);
  logic [1:0] group, ky, kx, atom, row, col;
  logic is_first, is_last, tile_done;
  assign is_first = row == '0 && col == '0;
  assign tile_done = row == last_row && col == last_col;
  assign is_last = tile_done && atom == last_atom && kx == last_kx && ky == last_ky &&
      group == last_group;

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      active <= 1'b0;
    end else if (job_take) begin
      job <= job_i;
      active <= !job_i.is_mark;
      {group, ky, kx, atom, row, col} <= '0;
    end else if (step_valid) begin
      if (is_last) active <= 1'b0;
      col <= (col == last_col) ? '0 : col + 2'd1;
      if (col == last_col) begin
        row <= (row == last_row) ? '0 : row + 2'd1;
        if (tile_done) begin
          atom <= (atom == last_atom) ? '0 : atom + 2'd1;
          if (atom == last_atom) begin
            kx <= (kx == last_kx) ? '0 : kx + 2'd1;
            if (kx == last_kx) begin
              ky <= (ky == last_ky) ? '0 : ky + 2'd1;
              if (ky == last_ky) group <= group + 2'd1;
            end
          end
        end
      end
    end
  end

  logic signed [16:0] y, x;
  logic [19:0] address, row_step, col_step, tap_row_step, tap_col_step;
  logic [12:0] word;
  logic is_outside, is_wrapped;
  assign y = 17'($signed(job.y0)) + $signed(17'(ky * 4'(job.tile_move_y[1:0]) + row * 4'(job.move_y[1:0])));
  assign x = 17'($signed(job.x0)) + $signed(17'(kx * 4'(job.tile_move_x[1:0]) + col * 4'(job.move_x[1:0])));
  assign is_outside = y < 0 || x < 0 || y >= $signed({1'b0, job.rows}) || x >= $signed({1'b0, job.cols});
  assign is_wrapped = y >= $signed({1'b0, job.ring_row});
  assign address = job.origin + 20'(ky) * tap_row_step + 20'(kx) * tap_col_step + 20'(atom) +
      20'(row) * 20'(job.move_y[1:0]) * job.row_pitch + 20'(col) * 20'(job.move_x[1:0]) * 20'(job.col_pitch) -
      (is_wrapped ? job.ring_atoms : 20'd0);
  assign word = 13'(job.acc_base) + 13'(group) * job.pixels + 13'(row) * 13'(job.tile_cols) + 13'(col);

  // What the registers hold, as far as the loops say it: with this, a step leads to the next for any number of them.
  (* keep *) logic active_q_seen, tile_first_q_seen, last_col_q_seen, last_row_q_seen, last_atom_q_seen, last_kx_q_seen, last_ky_q_seen;
  (* keep *) logic last_group_q_seen, y_outside_q_seen, x_outside_q_seen;
  (* keep *) logic [7:0] group_q_seen;
  (* keep *) logic [4:0] ky_q_seen, kx_q_seen;
  (* keep *) logic [11:0] atom_q_seen, row_q_seen, col_q_seen;
  (* keep *) logic [3:0] row_wait_q_seen, col_wait_q_seen;
  (* keep *) logic [19:0] row_step_seen, col_step_seen, tap_row_step_seen, tap_col_step_seen;
  (* keep *) logic [19:0] origin_q_seen, kernel_row_q_seen, tap_begin_q_seen, tap_q_seen, line_q_seen, address_q_seen;
  (* keep *) logic [16:0] tap_y_q_seen, tap_x_q_seen, y_q_seen, x_q_seen, before_ring_q_seen, before_tap_ring_q_seen;
  (* keep *) logic first_wraps_q_seen, tap_wraps_q_seen;
  (* keep *) logic [12:0] acc_group_q_seen, acc_q_seen;
  (* keep *) compute_pkg::job_t job_q_seen;

  logic [19:0] kernel_row, tap_begin, tap, line;
  logic [16:0] tap_y, tap_x;
  logic counters_follow, ends_follow, places_follow, steps_follow, rows_follow, words_follow;
  assign row_step = 20'(job.move_y[1:0]) * job.row_pitch;
  assign col_step = 20'(job.move_x[1:0]) * 20'(job.col_pitch);
  assign tap_row_step = 20'(job.tile_move_y[1:0]) * job.row_pitch;
  assign tap_col_step = 20'(job.tile_move_x[1:0]) * 20'(job.col_pitch);
  assign kernel_row = job.origin + 20'(ky) * tap_row_step;
  assign tap_begin = kernel_row + 20'(kx) * tap_col_step;
  assign tap = tap_begin + 20'(atom);
  assign line = tap + 20'(row) * row_step;
  assign tap_y = 17'($signed(job.y0)) + 17'(ky * 4'(job.tile_move_y[1:0]));
  assign tap_x = 17'($signed(job.x0)) + 17'(kx * 4'(job.tile_move_x[1:0]));
  assign counters_follow = group_q_seen == 8'(group) + 8'd1 && ky_q_seen == 5'(ky) + 5'd1 && kx_q_seen == 5'(kx) + 5'd1 &&
      atom_q_seen == 12'(atom) + 12'd1 && row_q_seen == 12'(row) + 12'd1 && col_q_seen == 12'(col) + 12'd1 && row_wait_q_seen == '0 && col_wait_q_seen == '0 &&
      tile_first_q_seen == is_first && job_q_seen == job;
  assign ends_follow = last_col_q_seen == (col == last_col) && last_row_q_seen == (row == last_row) &&
      last_atom_q_seen == (atom == last_atom) && last_kx_q_seen == (kx == last_kx) &&
      last_ky_q_seen == (ky == last_ky) && last_group_q_seen == (group == last_group);
  assign steps_follow = row_step_seen == row_step && col_step_seen == col_step && tap_row_step_seen == tap_row_step &&
      tap_col_step_seen == tap_col_step;
  assign places_follow = origin_q_seen == job.origin && kernel_row_q_seen == kernel_row && tap_begin_q_seen == tap_begin &&
      tap_q_seen == tap && line_q_seen == line && address_q_seen == address;
  assign rows_follow = tap_y_q_seen == tap_y && tap_x_q_seen == tap_x && y_q_seen == y && x_q_seen == x &&
      before_ring_q_seen == 17'(job.ring_row) - 17'(job.move_y) && before_tap_ring_q_seen == 17'(job.ring_row) - 17'(job.tile_move_y) &&
      first_wraps_q_seen == ($signed(17'($signed(job.y0))) >= $signed({1'b0, job.ring_row})) &&
      tap_wraps_q_seen == ($signed(tap_y) >= $signed({1'b0, job.ring_row})) &&
      (y_outside_q_seen || x_outside_q_seen) == is_outside && y_outside_q_seen == (y < 0 || y >= $signed({1'b0, job.rows}));
  assign words_follow = acc_group_q_seen == 13'(job.acc_base) + 13'(group) * job.pixels && acc_q_seen == word;

  logic counters_within;
  assign counters_within = col <= last_col && row <= last_row && atom <= last_atom &&
      kx <= last_kx && ky <= last_ky && group <= last_group && is_small(job);

  logic steps, reads;
  assign steps = active && !halt_i && (!is_first || tile_ready_i);
  assign reads = steps && !is_outside;
  always_comb begin
    assume (is_small(job_i));
    if (rst_n) begin
      active_follows : assert (active_q_seen == active);
      if (active) begin
        registers_follow_counters : assert (counters_within && counters_follow);
        registers_follow_ends : assert (ends_follow);
        registers_follow_steps : assert (steps_follow);
        registers_follow_places : assert (places_follow);
        registers_follow_rows : assert (rows_follow);
        registers_follow_words : assert (words_follow);
      end
      taken_when_none_is_left : assert (job_take == (job_valid_i && !halt_i && !active));
      steps_as_soon_as_may_be : assert (step_valid == (steps && !(reads && refuse_i)));
      address_is_the_formulas : assert (!reads || read_addr == address);
      limit_is_watched : assert (cbuf_error == (reads && address >= 20'd64));
      claims_are_true : assert (claim == (step_valid && is_first));
      idle_is_true : assert (idle == (!active && !job_valid_i));
      stalls_have_their_reason : assert (stall_weights == (active && is_first && !tile_ready_i) && stall_bank == (reads && refuse_i));
      marks_are_reported : assert (mark.valid == (job_take && job_i.is_mark) && (!mark.valid || mark.id == job_i.mark_id));
      if (step_valid) begin
        step_is_the_loops : assert (step.first == is_first && step.padding == is_outside && step.last == is_last && step.emit &&
                                    step.post_load == (is_last && job.post_load) && step.post_store == (is_last && job.post_store));
        sums_go_to_their_words : assert (step.acc_addr == word[11:0]);
        sums_begin_once : assert (step.acc_zero == (ky == '0 && kx == '0 && atom == '0 && !job.accumulate));
        words_are_watched : assert (acc_error == (word >= 13'd16) && acc_error_word == word);
      end
    end
  end

endmodule
