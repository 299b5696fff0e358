/// Convolves with one weight tile at a time: loads it from the cbuf, walks over rows and columns of steps, one feature atom per cycle, and
/// adds the products to the accumulators. What stays for a whole convolution is written to ports before.
module micro_runner #(
    parameter int unsigned AtomicC = 2,
    parameter int unsigned AtomicK = 2,
    /// Accumulator words of AtomicK int32.
    parameter int unsigned AccWords = 128
) (
    input  logic                                clk_i,
    /// Synchronous reset, active low.
    input  logic                                rst_ni,
    /// Writes a port, when the runner is ready for it.
    input  logic                                we_i,
    input  logic                         [ 5:0] port_i,
    input  logic                         [31:0] data_i,
    /// The next weight tile can be begun.
    output logic                                ready_o,
    /// Every sum is written.
    output logic                                idle_o,
    /// A step was made in this cycle.
    output logic                                step_o,
    /// Usable cbuf atoms.
    input  logic                         [20:0] limit_i,
    output logic                                re_o,
    output logic                         [19:0] atom_o,
    /// A cycle after `re_o`.
    input  logic [AtomicC-1:0]           [ 7:0] atom_i,
    /// The atom that was read in the cycle before is none.
    output logic                                range_o,
    output logic                         [19:0] range_atom_o,
    /// Reads an accumulator word, while idle; it is there a cycle later.
    output logic        [AtomicK-1:0][31:0] sums_o
);

  localparam int unsigned AccBits = $clog2(AccWords);
  localparam int unsigned LaneBits = $clog2(AtomicK);
  // A product of bytes, and sums of AtomicC of them.
  localparam int unsigned SumBits = 16 + $clog2(AtomicC);

  logic [11:0] rows_q, cols_q, rows_left_q, cols_left_q;
  logic [19:0] pixel_step_q, row_step_q, row_atom_q, atom_q, weight_q, atom;
  logic [3:0] stride_x_q, stride_y_q;
  logic [14:0] in_rows_q, in_cols_q;
  // From -2^15 on, beyond 2^16: taps and steps add to a tile's place.
  logic signed [17:0] y0_q, x0_q, y_q, x_q;
  logic signed [7:0] zero_q;
  logic [6:0] kernels_q, kernels_left_q;
  logic [LaneBits-1:0] lane_q;
  logic [AccBits-1:0] first_word_q, word_q;
  logic fresh_q;  // the sums begin at zero

  // What it does is known from registers: the microcontroller waits for it.
  logic start, loading_q, stepping_q, last_col, last_row;
  logic we;
  assign we = we_i && ready_o;
  assign start = we && port_i == microcode_pkg::PortGo;
  assign last_col = cols_left_q == 12'd1;
  assign last_row = rows_left_q == 12'd1;
  assign ready_o = !loading_q && !stepping_q;

  logic in_slab;
  assign in_slab = y_q[17:15] == '0 && x_q[17:15] == '0 && y_q[14:0] < in_rows_q && x_q[14:0] < in_cols_q;
  assign atom_o = loading_q ? weight_q : atom_q;
  assign re_o = loading_q || (stepping_q && in_slab);
  assign step_o = stepping_q;
  assign atom = (last_col ? row_atom_q : atom_q) + (last_col ? row_step_q : pixel_step_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      loading_q  <= 1'b0;
      stepping_q <= 1'b0;
    end else if (start) begin
      loading_q <= 1'b1;
    end else if (loading_q && kernels_left_q == 7'd1) begin
      loading_q  <= 1'b0;
      stepping_q <= 1'b1;
    end else if (stepping_q && last_col && last_row) begin
      stepping_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      row_atom_q <= data_i[19:0];
      atom_q <= data_i[19:0];
      y_q <= y0_q;
      x_q <= x0_q;
      rows_left_q <= rows_q;
      cols_left_q <= cols_q;
      word_q <= first_word_q;
    end else if (stepping_q) begin
      atom_q <= atom;
      if (last_col) begin
        row_atom_q <= atom;
        rows_left_q <= rows_left_q - 1'b1;
        y_q <= y_q + $signed(18'(stride_y_q));
      end
      x_q <= last_col ? x0_q : x_q + $signed(18'(stride_x_q));
      cols_left_q <= last_col ? cols_q : cols_left_q - 1'b1;
      word_q <= word_q + 1'b1;
    end
    kernels_left_q <= start ? kernels_q : kernels_left_q - 7'(loading_q);
    lane_q <= start ? '0 : lane_q + LaneBits'(loading_q);
    // A group's first weight tile begins its sums.
    if (we && port_i == microcode_pkg::PortAccumulate) fresh_q <= !data_i[0];
    else if (stepping_q && last_col && last_row) fresh_q <= 1'b0;
    if (we && port_i == microcode_pkg::PortWeights) weight_q <= data_i[19:0];
    else if (loading_q) weight_q <= weight_q + 1'b1;
    if (we) begin
      unique case (port_i)
        microcode_pkg::PortRows: rows_q <= data_i[11:0];
        microcode_pkg::PortCols: cols_q <= data_i[11:0];
        microcode_pkg::PortPixelStep: pixel_step_q <= data_i[19:0];
        microcode_pkg::PortRowStep: row_step_q <= data_i[19:0];
        microcode_pkg::PortStrideX: stride_x_q <= data_i[3:0];
        microcode_pkg::PortStrideY: stride_y_q <= data_i[3:0];
        microcode_pkg::PortInRows: in_rows_q <= data_i[14:0];
        microcode_pkg::PortInCols: in_cols_q <= data_i[14:0];
        microcode_pkg::PortZero: zero_q <= data_i[7:0];
        microcode_pkg::PortKernels: kernels_q <= data_i[6:0];
        microcode_pkg::PortY: y0_q <= data_i[17:0];
        microcode_pkg::PortX: x0_q <= data_i[17:0];
        microcode_pkg::PortWord: first_word_q <= data_i[AccBits-1:0];
        default: ;
      endcase
    end
  end

  // Whether it is one is known a cycle later: nothing waits for that.
  logic fetched_q;
  logic [19:0] fetched_atom_q;
  assign range_o = fetched_q && {1'b0, fetched_atom_q} >= limit_i;
  assign range_atom_o = fetched_atom_q;
  always_ff @(posedge clk_i) begin
    fetched_q <= re_o && rst_ni;
    fetched_atom_q <= atom_o;
  end

  // The atom that was read is a kernel's weights or a step's features.
  logic weights_come_q, step1_q, step2_q, padding_q, fresh1_q, fresh2_q;
  logic [LaneBits-1:0] weights_lane_q;
  logic [AccBits-1:0] word1_q, word2_q;
  logic [AtomicC*8-1:0] weights, features;
  assign weights = atom_i;
  assign features = padding_q ? {AtomicC{zero_q}} : atom_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      weights_come_q <= 1'b0;
      step1_q <= 1'b0;
      step2_q <= 1'b0;
    end else begin
      weights_come_q <= loading_q;
      step1_q <= stepping_q;
      step2_q <= step1_q;
    end
  end

  always_ff @(posedge clk_i) begin
    weights_lane_q <= lane_q;
    padding_q <= !in_slab;
    fresh1_q <= fresh_q;
    word1_q <= word_q;
    fresh2_q <= fresh1_q;
    word2_q <= word1_q;
  end

  logic drain;
  logic [AtomicK-1:0][31:0] held, total;
  assign drain = we_i && port_i == microcode_pkg::PortSums;  // again and again, until it is idle
  for (genvar k = 0; k < AtomicK; k++) begin : gen_kernels
    logic [AtomicC*16-1:0] products;
    logic [SumBits-1:0] sum;
    for (genvar c = 0; c < AtomicC; c += 2) begin : gen_products
      product_pair u_products (
          .clk_i,
          .load_i(weights_come_q && weights_lane_q == LaneBits'(k)),
          .kept_i(weights[c*8+:16]),
          .bytes_i(features[c*8+:16]),
          .products_o(products[c*16+:32])
      );
    end
    adder_tree #(
        .Terms(AtomicC),
        .Width(16)
    ) u_sum (
        .terms_i(products),
        .sum_o  (sum)
    );
    assign total[k] = (fresh2_q ? 32'd0 : held[k]) + 32'($signed(sum));
  end
  ram_1r1w #(
      .Width(AtomicK * 32),
      .Depth(AccWords)
  ) u_words (
      .clk_i,
      .we_i(step2_q),
      .waddr_i(word2_q),
      .wdata_i(total),
      .re_i(step1_q || drain),
      .raddr_i(step1_q ? word1_q : data_i[AccBits-1:0]),
      .rdata_o(held)
  );
  assign sums_o = held;
  assign idle_o = ready_o && !step1_q && !step2_q;

endmodule
