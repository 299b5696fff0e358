/// Types inside the compute unit.
package compute_pkg;

  /// A convolution as the sequencer executes it: configuration words plus products of them.
  typedef struct packed {
    logic        is_mark;       // only report `mark_id`
    logic [15:0] mark_id;
    logic [15:0] rows;          // slab rows
    logic [15:0] cols;          // slab columns
    logic [11:0] atoms;         // atoms per pixel
    logic [ 7:0] zero_point;
    logic [ 4:0] kernel_h;
    logic [ 4:0] kernel_w;
    logic [ 3:0] stride_y;
    logic [ 3:0] stride_x;
    logic [ 4:0] dilation_y;
    logic [ 4:0] dilation_x;
    logic [15:0] y0;
    logic [15:0] x0;
    logic [11:0] tile_rows;
    logic [11:0] tile_cols;
    logic [ 7:0] groups;
    logic [12:0] pixels;        // tile_rows * tile_cols, saturated
    logic [19:0] origin;        // cbuf atom of (y0, x0)
    logic [19:0] row_step;      // atoms between output rows
    logic [19:0] col_step;      // atoms between output columns
    logic [19:0] tap_row_step;  // atoms between kernel rows
    logic [19:0] tap_col_step;  // atoms between kernel columns
    logic [11:0] acc_base;
    logic        accumulate;
    logic        post_load;
    logic        post_store;
  } job_t;

  /// Bits of job_t; a wrong number is a width error in lint.
  localparam int unsigned JobBits = 289;

  /// What travels down the pipeline with a feature atom.
  typedef struct packed {
    logic        first;       // first pixel of a weight tile: swap weights
    logic        padding;     // outside the slab
    logic [ 7:0] zero_point;
    logic [11:0] acc_addr;
    logic        acc_zero;    // start the sum from zero
    logic        last;        // last atom of the convolution
    logic        post_load;
    logic        post_store;
  } step_t;

endpackage
