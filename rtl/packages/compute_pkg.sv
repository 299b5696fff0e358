/// Types inside the compute unit.
package compute_pkg;

  /// The greatest divisor of two array sides: pieces of channels begin at its multiples. A constant: sides
  /// are parameters.
  function automatic int unsigned common_divisor(input int unsigned a, input int unsigned b);
    common_divisor = 1;
    for (int unsigned d = 2; d <= 64; d++) begin
      if (a % d == 0 && b % d == 0) common_divisor = d;
    end
  endfunction

  /// Bits of the way from one weight tile to the next with windows of so many rows or columns, of taps at most
  /// 16 apart.
  function automatic int unsigned tile_move_bits(input int unsigned window);
    tile_move_bits = $clog2(16 * window + 1);
  endfunction

  /// A configuration word times a small factor: a sum of shifted words, one behind the other where the factor
  /// is no constant.
  function automatic logic [19:0] times(input logic [19:0] word, input logic [8:0] factor);
    times = '0;
    for (int unsigned b = 0; b < 9; b++) begin
      times = times + ((word << b) & {20{factor[b]}});
    end
  endfunction

  /// A convolution as the sequencer executes it: configuration words.
  typedef struct packed {
    logic        is_mark;       // only report `mark_id`
    logic [15:0] mark_id;
    logic [15:0] rows;          // slab rows
    logic [15:0] cols;          // slab columns
    logic [11:0] atoms;         // of a pixel
    logic [ 7:0] zero_point;
    logic        centred;       // the zero point is subtracted from features
    logic        depthwise;
    logic        resume;        // the window holds the rows above
    logic        maximum;       // pooling instead of sums
    logic [ 4:0] tiles_y;       // weight tiles of a kernel: taps, or windows when depthwise
    logic [ 4:0] tiles_x;
    logic [ 3:0] window_h;      // slab rows and columns that a step's window spans; 1 when not
    logic [ 3:0] window_w;      // depthwise
    logic [ 3:0] move_y;        // slab rows and columns from one step to the next
    logic [ 3:0] move_x;
    logic [ 3:0] skip_y;        // rows and columns without an output after one with an output
    logic [ 3:0] skip_x;
    logic [ 8:0] tile_move_y;   // slab rows and columns from one weight tile to the next
    logic [ 8:0] tile_move_x;
    logic [15:0] y0;
    logic [15:0] x0;
    logic [11:0] tile_rows;
    logic [11:0] tile_cols;
    logic [ 7:0] groups;
    logic [ 6:0] last_kernels;
    logic [ 5:0] first_byte;    // depthwise: the first channel's of its atom
    logic [12:0] pixels;        // tile_rows * tile_cols, saturated
    logic [19:0] origin;        // cbuf atom of (y0, x0)
    logic [19:0] row_pitch;     // atoms from one slab row to the next
    logic [11:0] col_pitch;     // and from one column to the next
    logic [15:0] ring_row;      // first slab row that lies ring_atoms lower
    logic [19:0] ring_atoms;
    logic [11:0] acc_base;
    logic        accumulate;
    logic        post_load;
    logic        post_store;
  } job_t;

  /// Bits of job_t; a wrong number is a width error in lint.
  localparam int unsigned JobBits = 318;

  /// What travels down the pipeline with a feature atom.
  typedef struct packed {
    logic        first;       // first pixel of a weight tile: swap weights
    logic        padding;     // outside the slab
    logic        depthwise;   // goes into the window
    logic        maximum;     // the greatest tap instead of the sum
    logic        emit;        // the array multiplies and the accumulators add
    logic [11:0] line;        // column, counted from the tile's first
    logic [ 6:0] lane;        // lanes that take the sums: from here
    logic [ 6:0] lane_end;    // to before this one
    logic [ 5:0] rotate;      // depthwise: the atom's byte for lane 0
    logic [ 7:0] zero_point;
    logic        centred;     // less the zero point
    logic [11:0] acc_addr;
    logic        acc_zero;    // start the sum from zero
    logic        last;        // last atom of the convolution
    logic        post_load;
    logic        post_store;
  } step_t;

endpackage
