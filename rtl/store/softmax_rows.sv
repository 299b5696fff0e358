/// What a softmax keeps of each pixel of a tile while the tile is walked three times: the greatest value, the sum of what the table
/// makes of the values less the greatest one, and the sum's reciprocal, which is computed while others are added up.
module softmax_rows #(
    parameter int unsigned PostLanes = 8,
    /// Derived, not to be set.
    parameter int unsigned CountBits = $clog2(PostLanes + 1)
) (
    input  logic                       clk_i,
    /// Synchronous reset, active low.
    input  logic                       rst_ni,
    /// A tile begins.
    input  logic                       start_i,
    input  logic [11:0]                pixels_i,
    /// First walk: requantised values, and whether they are the pixel's last ones.
    input  logic                       values_valid_i,
    input  logic [PostLanes*8-1:0]     values_i,
    input  logic [CountBits-1:0]       values_count_i,
    input  logic                       values_pixel_i,
    /// Second walk: what the table made of them.
    input  logic                       terms_valid_i,
    input  logic [PostLanes-1:0][31:0] terms_i,
    input  logic [CountBits-1:0]       terms_count_i,
    input  logic                       terms_pixel_i,
    /// Second and third walk: values come in two cycles, which want the pixel's greatest value then.
    input  logic                       look_i,
    input  logic                       look_pixel_i,
    output logic signed [7:0]          greatest_o,
    /// Third walk: they come to the requantiser again in two cycles.
    input  logic                       take_i,
    input  logic                       take_pixel_i,
    output logic [30:0]                multiplier_o,
    output logic signed [7:0]          shift_o,
    /// Pixels whose greatest value, whose reciprocal is there.
    output logic [8:0]                 greatest_count_o,
    output logic [8:0]                 reciprocal_count_o
);

  localparam int unsigned IndexBits = $clog2(store_pkg::SoftmaxPixels);
  localparam int unsigned TermBits = 20;  // rounded
  localparam int unsigned ChunkBits = TermBits + $clog2(PostLanes);
  localparam int unsigned SumBits = 28;

  // Greatest values: of a chunk, then of the pixel.
  logic signed [7:0] chunk_greatest, chunk_greatest_q, running_greatest_q, row_greatest;
  logic chunk_valid_q, chunk_pixel_q, first_chunk_q;
  always_comb begin
    chunk_greatest = values_i[7:0];
    for (int unsigned l = 1; l < PostLanes; l++) begin
      if (CountBits'(l) < values_count_i && $signed(values_i[l*8+:8]) > chunk_greatest) chunk_greatest = values_i[l*8+:8];
    end
  end
  assign row_greatest = (first_chunk_q || chunk_greatest_q > running_greatest_q) ? chunk_greatest_q : running_greatest_q;

  logic [8:0] greatest_count_q;
  always_ff @(posedge clk_i) begin
    chunk_greatest_q <= chunk_greatest;
    chunk_pixel_q <= values_pixel_i;
    chunk_valid_q <= rst_ni && values_valid_i;
    if (chunk_valid_q) running_greatest_q <= row_greatest;
    if (start_i) first_chunk_q <= 1'b1;
    else if (chunk_valid_q) first_chunk_q <= chunk_pixel_q;
    if (start_i) greatest_count_q <= '0;
    else if (chunk_valid_q && chunk_pixel_q) greatest_count_q <= greatest_count_q + 9'd1;
  end
  assign greatest_count_o = greatest_count_q;

  // Which pixel is looked at: over again in the third walk.
  logic [IndexBits-1:0] look_q, take_q, last;
  assign last = IndexBits'(pixels_i - 12'd1);
  always_ff @(posedge clk_i) begin
    if (start_i) look_q <= '0;
    else if (look_i && look_pixel_i) look_q <= (look_q == last) ? '0 : look_q + 1'b1;
    if (start_i) take_q <= '0;
    else if (take_i && take_pixel_i) take_q <= take_q + 1'b1;
  end

  logic signed [7:0] greatest, greatest_q;
  ram_1r1w #(
      .Width(8),
      .Depth(store_pkg::SoftmaxPixels)
  ) u_greatest (
      .clk_i,
      .we_i(chunk_valid_q && chunk_pixel_q),
      .waddr_i(greatest_count_q[IndexBits-1:0]),
      .wdata_i(row_greatest),
      .re_i(1'b1),
      .raddr_i(look_q),
      .rdata_o(greatest)
  );
  always_ff @(posedge clk_i) greatest_q <= greatest;
  assign greatest_o = greatest_q;

  // Sums, of rounded terms: of a chunk, then of the pixel.
  logic [PostLanes-1:0][TermBits:0] rounded;
  always_comb begin
    for (int unsigned l = 0; l < PostLanes; l++) begin
      rounded[l] = (CountBits'(l) < terms_count_i) ? {2'd0, terms_i[l][30:12]} + {20'd0, terms_i[l][11]} : '0;
    end
  end
  logic [TermBits+$clog2(PostLanes):0] chunk_sum;
  logic [ChunkBits-1:0] chunk_sum_q;
  adder_tree #(
      .Terms(PostLanes),
      .Width(TermBits + 1)
  ) u_chunk (
      .terms_i(rounded),
      .sum_o  (chunk_sum)
  );
  logic sum_valid_q, sum_pixel_q, first_sum_q;
  logic [SumBits:0] running_sum_q, row_sum;
  logic [8:0] sum_count_q;
  always_comb begin
    row_sum = (first_sum_q ? '0 : {1'b0, running_sum_q[SumBits-1:0]}) + (SumBits + 1)'(chunk_sum_q);
    if (!first_sum_q && running_sum_q[SumBits]) row_sum[SumBits] = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    chunk_sum_q <= chunk_sum[ChunkBits-1:0];
    sum_pixel_q <= terms_pixel_i;
    sum_valid_q <= rst_ni && terms_valid_i;
    if (sum_valid_q) running_sum_q <= row_sum;
    if (start_i) first_sum_q <= 1'b1;
    else if (sum_valid_q) first_sum_q <= sum_pixel_q;
    if (start_i) sum_count_q <= '0;
    else if (sum_valid_q && sum_pixel_q) sum_count_q <= sum_count_q + 9'd1;
  end

  // Reciprocals, one after the other.
  logic [SumBits:0] sum;
  logic [8:0] reciprocal_count_q;
  logic working_q, read_q, done, start;
  logic [30:0] multiplier;
  logic [3:0] bits;
  assign start = read_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      working_q <= 1'b0;
      read_q <= 1'b0;
      reciprocal_count_q <= '0;
    end else begin
      read_q <= !working_q && sum_count_q != reciprocal_count_q;
      if (!working_q) working_q <= sum_count_q != reciprocal_count_q;
      else if (done) working_q <= 1'b0;
      if (done) reciprocal_count_q <= reciprocal_count_q + 9'd1;
    end
  end
  assign reciprocal_count_o = reciprocal_count_q;

  ram_1r1w #(
      .Width(SumBits + 1),
      .Depth(store_pkg::SoftmaxPixels)
  ) u_sums (
      .clk_i,
      .we_i(sum_valid_q && sum_pixel_q),
      .waddr_i(sum_count_q[IndexBits-1:0]),
      .wdata_i(row_sum),
      .re_i(1'b1),
      .raddr_i(reciprocal_count_q[IndexBits-1:0]),
      .rdata_o(sum)
  );

  softmax_reciprocal u_reciprocal (
      .clk_i,
      .rst_ni(rst_ni && !start_i),
      .start_i(start),
      .sum_i(sum),
      .done_o(done),
      .multiplier_o(multiplier),
      .bits_o(bits)
  );

  logic [34:0] factor, factor_q;
  ram_1r1w #(
      .Width(35),
      .Depth(store_pkg::SoftmaxPixels)
  ) u_reciprocals (
      .clk_i,
      .we_i(done),
      .waddr_i(reciprocal_count_q[IndexBits-1:0]),
      .wdata_i({bits, multiplier}),
      .re_i(1'b1),
      .raddr_i(take_q),
      .rdata_o(factor)
  );
  always_ff @(posedge clk_i) factor_q <= factor;
  assign multiplier_o = factor_q[30:0];
  assign shift_o = -8'sd23 - 8'(factor_q[34:31]);

  logic unused;
  assign unused = ^{chunk_sum[TermBits+$clog2(PostLanes):ChunkBits], terms_i};

endmodule
