/// Reads weight tiles from the cbuf into the array's shadow registers, one kernel per cycle, ahead
/// of their use and across the borders of convolutions.
module weight_loader #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8
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
    input  logic [                       8:0] taps_i,
    input  logic [                      11:0] atoms_i,
    input  logic [                       6:0] last_kernels_i,
    /// Cbuf read port; data one cycle after the request.
    output logic                              re_o,
    output logic [                      19:0] raddr_o,
    input  logic [             AtomicC*8-1:0] rdata_i,
    /// The next weight tile, [kernel][channel].
    output logic [AtomicK-1:0][AtomicC*8-1:0] tile_o,
    output logic                              tile_valid_o,
    /// The array takes the tile.
    input  logic                              swap_i,
    output logic                              idle_o
);

  logic empty, pop;
  logic [19:0] address;
  logic [7:0] groups;
  logic [8:0] taps;
  logic [11:0] atoms;
  logic [6:0] last_kernels;

  sync_fifo #(
      .Width(56),
      .Depth(2)
  ) u_jobs (
      .clk_i,
      .rst_ni,
      .push_i,
      .data_i ({address_i, groups_i, taps_i, atoms_i, last_kernels_i}),
      .full_o,
      .pop_i  (pop),
      .data_o ({address, groups, taps, atoms, last_kernels}),
      .empty_o(empty)
  );

  logic active_q, reading_q, arrive_q, last_arrive_q, valid_q;
  logic [19:0] address_q;
  logic [7:0] group_q;
  logic [8:0] tap_q;
  logic [11:0] atom_q;
  logic [6:0] kernel_q, arrive_kernel_q;
  logic [AtomicK-1:0][AtomicC*8-1:0] tile_q;

  logic [6:0] kernels;
  logic last_kernel, last_atom, last_tap, last_group, issue;
  assign last_group = group_q == groups - 8'd1;
  assign last_tap = tap_q == taps - 9'd1;
  assign last_atom = atom_q == atoms - 12'd1;
  assign kernels = last_group ? last_kernels : 7'(AtomicK);
  assign last_kernel = kernel_q == kernels - 7'd1;

  // reading_q: the shadow tile may be overwritten.
  assign issue = active_q && reading_q && !halt_i;
  assign re_o = issue;
  assign raddr_o = address_q;
  assign pop = issue && last_kernel && last_atom && last_tap && last_group;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      reading_q <= 1'b1;
      arrive_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      arrive_q <= issue;
      if (issue) begin
        arrive_kernel_q <= kernel_q;
        last_arrive_q <= last_kernel;
        address_q <= address_q + 20'd1;
        kernel_q <= last_kernel ? '0 : kernel_q + 7'd1;
        if (last_kernel) begin
          reading_q <= 1'b0;
          atom_q <= last_atom ? '0 : atom_q + 12'd1;
          if (last_atom) begin
            tap_q <= last_tap ? '0 : tap_q + 9'd1;
            if (last_tap) group_q <= group_q + 8'd1;
          end
        end
        if (pop) active_q <= 1'b0;
      end else if (!active_q && !empty) begin
        active_q <= 1'b1;
        address_q <= address;
        group_q <= '0;
        tap_q <= '0;
        atom_q <= '0;
        kernel_q <= '0;
      end
      if (arrive_q && last_arrive_q) valid_q <= 1'b1;
      if (swap_i) begin
        valid_q <= 1'b0;
        reading_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (arrive_q) tile_q[arrive_kernel_q[$clog2(AtomicK)-1:0]] <= rdata_i;
  end

  assign tile_o = tile_q;
  assign tile_valid_o = valid_q;
  assign idle_o = empty && !active_q && !arrive_q;

endmodule
