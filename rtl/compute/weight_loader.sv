/// Reads weight tiles from the cbuf into the array's shadow registers, one kernel per cycle, ahead
/// of their use and across the borders of convolutions.
module weight_loader #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    /// Convolutions whose weights wait to be read, behind those that are.
    parameter int unsigned JobsAhead = 2
) (
    input  logic                              clk_i,
    /// Synchronous reset, active low.
    input  logic                              rst_ni,
    input  logic                              halt_i,
    /// A convolution's weights: loop bounds as in CV_KERNEL, CV_INPUT and CV_WEIGHTS.
    input  logic                              push_i,
    output logic                              full_o,
    input  logic [                      19:0] address_i,
    input  logic [                       7:0] groups_i,
    /// Weight tiles per kernel and atom: rows, columns; at most 16 x 16.
    input  logic [                       4:0] tiles_y_i,
    input  logic [                       4:0] tiles_x_i,
    input  logic [                      11:0] atoms_i,
    input  logic [                       6:0] last_kernels_i,
    /// Subtracted from every weight.
    input  logic signed [                7:0] zero_point_i,
    /// Depthwise: kernels come piece by piece, from this byte on.
    input  logic                              depthwise_i,
    input  logic [                       5:0] first_byte_i,
    /// Cbuf read port; data two cycles after the request. While halted it is made again and again.
    output logic                              re_o,
    output logic [                      19:0] raddr_o,
    input  logic [             AtomicC*8-1:0] rdata_i,
    /// The next weight tile, [kernel][channel], 9 bits per weight.
    output logic [AtomicK-1:0][AtomicC*9-1:0] tile_o,
    /// It is there two cycles later, when the atom of a step has come that is issued now.
    output logic                              tile_valid_o,
    /// The step of this cycle takes it: its registers are free when the first of the next tile's weights come.
    input  logic                              claim_i,
    output logic                              idle_o
);

  logic empty, pop;
  logic [19:0] address;
  logic [7:0] groups;
  logic [4:0] tiles_y, tiles_x;
  logic [11:0] atoms;
  logic [6:0] last_kernels;
  logic [7:0] zero_point;
  logic depthwise;
  logic [5:0] first_byte;

  sync_fifo #(
      .Width(72),
      .Depth(JobsAhead)
  ) u_jobs (
      .clk_i,
      .rst_ni,
      .push_i,
      .data_i ({
        address_i, groups_i, tiles_y_i, tiles_x_i, atoms_i, last_kernels_i, zero_point_i, depthwise_i,
        first_byte_i
      }),
      .full_o,
      .pop_i  (pop),
      .data_o ({
        address, groups, tiles_y, tiles_x, atoms, last_kernels, zero_point, depthwise, first_byte
      }),
      .empty_o(empty)
  );

  logic active_q, reading_q, read_q, arrive_q, valid_q;
  logic [19:0] address_q;
  logic [7:0] group_q;
  logic [4:0] row_q, col_q;
  logic [11:0] atom_q;
  logic [6:0] kernel_q, read_kernel_q, arrive_kernel_q;  // from 1 on
  logic [7:0] read_zero_q, arrive_zero_q;
  logic [AtomicK-1:0][AtomicC*9-1:0] tile_q;

  logic [6:0] kernels, piece_lane, piece_end;
  logic last_kernel, last_atom_q, last_row_q, last_col_q, last_tap, last_piece, last_group_q, issue, begin_job, atom_done;
  logic [5:0] rotate;
  assign kernels = last_group_q ? last_kernels : 7'(AtomicK);
  assign last_kernel = kernel_q == piece_end;
  assign last_tap = last_row_q && last_col_q;
  assign begin_job = !active_q && !empty;

  channel_pieces #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK)
  ) u_pieces (
      .clk_i,
      .start_i(begin_job),
      .byte_i(depthwise ? first_byte : '0),
      .depthwise_i(depthwise),
      .group_end_i(kernels),
      .advance_i(issue && last_kernel && last_atom_q && last_tap),
      .lane_o(piece_lane),
      .lane_end_o(piece_end),
      .group_last_o(last_piece),
      .atom_last_o(atom_done),
      .rotate_o(rotate)
  );
  logic unused;
  assign unused = ^{atom_done, rotate};

  // Whether the loops are at their last, known from the cycle before.
  always_ff @(posedge clk_i) begin
    if (begin_job) begin
      last_group_q <= groups == 8'd1;
      last_row_q <= tiles_y == 5'd1;
      last_col_q <= tiles_x == 5'd1;
      last_atom_q <= atoms == 12'd1;
    end else if (issue && last_kernel) begin
      last_atom_q <= last_atom_q ? atoms == 12'd1 : atom_q + 12'd1 == atoms;
      if (last_atom_q) last_col_q <= last_col_q ? tiles_x == 5'd1 : col_q + 5'd1 == tiles_x;
      if (last_atom_q && last_col_q) last_row_q <= last_row_q ? tiles_y == 5'd1 : row_q + 5'd1 == tiles_y;
      if (last_atom_q && last_tap && last_piece) last_group_q <= group_q + 8'd1 == groups;
    end
  end

  // reading_q: the shadow tile may be overwritten.
  assign re_o = active_q && reading_q;
  assign issue = re_o && !halt_i;
  assign raddr_o = address_q;
  assign pop = issue && last_kernel && last_atom_q && last_tap && last_piece && last_group_q;

  logic [19:0] next_address;
  loaded_adder #(
      .Width(20)
  ) u_address (
      .load_i  (!active_q),
      .value_i (address),
      .augend_i(address_q),
      .addend_i(20'd1),
      .sum_o   (next_address)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      reading_q <= 1'b1;
      read_q <= 1'b0;
      arrive_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      read_q <= issue;
      arrive_q <= read_q;
      read_kernel_q <= kernel_q;
      read_zero_q <= zero_point;
      arrive_kernel_q <= read_kernel_q;
      arrive_zero_q <= read_zero_q;
      if (issue) begin
        address_q <= next_address;
        kernel_q <= (last_kernel ? piece_lane : kernel_q) + 7'd1;
        if (last_kernel) begin
          reading_q <= 1'b0;
          valid_q <= 1'b1;
          atom_q <= last_atom_q ? 12'd1 : atom_q + 12'd1;
          if (last_atom_q) begin
            col_q <= last_col_q ? 5'd1 : col_q + 5'd1;
            if (last_col_q) row_q <= last_row_q ? 5'd1 : row_q + 5'd1;
            if (last_tap) begin
              kernel_q <= last_piece ? 7'd1 : piece_end + 7'd1;
              if (last_piece) group_q <= group_q + 8'd1;
            end
          end
        end
        if (pop) active_q <= 1'b0;
      end else if (begin_job) begin
        active_q <= 1'b1;
        address_q <= next_address;
        group_q <= 8'd1;
        row_q <= 5'd1;
        col_q <= 5'd1;
        atom_q <= 12'd1;
        kernel_q <= 7'd1;
      end
      if (claim_i) begin
        valid_q <= 1'b0;
        reading_q <= 1'b1;
      end
    end
  end

  logic [AtomicC*9-1:0] weights;
  for (genvar c = 0; c < AtomicC; c++) begin : gen_weights
    assign weights[c*9+:9] = 9'($signed(rdata_i[c*8+:8])) - 9'($signed(arrive_zero_q));
  end

  // An enable for each kernel: an index would be a shift over the whole tile.
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < AtomicK; k++) begin
      if (arrive_q && arrive_kernel_q == 7'(k + 1)) tile_q[k] <= weights;
    end
  end

  assign tile_o = tile_q;
  assign tile_valid_o = valid_q;
  assign idle_o = empty && !active_q && !read_q && !arrive_q;

endmodule
