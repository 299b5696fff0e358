/// Accumulators of the output tile: words of AtomicK int32 in two halves, so that one half drains
/// while the other one accumulates. Accumulation takes one word per cycle, also the same word twice
/// in a row. Where a block of memory holds all words anyway, there are two copies of both halves, one that is added to and one that
/// is drained: nothing chooses between halves.
module accumulator #(
    parameter int unsigned AtomicK = 8,
    /// Words in both halves, a power of two.
    parameter int unsigned Words = 512,
    /// Bits of one summand.
    parameter int unsigned SumBits = 19,
    /// Lanes can be left as they are.
    parameter bit Pieces = 1'b0
) (
    input  logic                            clk_i,
    /// Synchronous reset, active low.
    input  logic                            rst_ni,
    /// Announces the word to which `sums_i` are added two cycles later.
    input  logic                            fetch_i,
    input  logic [            11:0]         fetch_addr_i,
    /// With `fetch_i`: start from zero instead.
    input  logic                            fetch_zero_i,
    /// With `fetch_i`: keep the greater of the two instead of adding.
    input  logic                            fetch_maximum_i,
    /// With `fetch_i`: lanes that take their sums, from the first to before the end.
    input  logic [             6:0]         fetch_lane_i,
    input  logic [             6:0]         fetch_lane_end_i,
    input  logic [AtomicK-1:0][SumBits-1:0] sums_i,
    /// Reads a word for the store unit; data in the next cycle. Refused while `drain_wait_o`.
    input  logic [            11:0]         drain_addr_i,
    output logic                            drain_wait_o,
    output logic [AtomicK-1:0][       31:0] drain_data_o
);

  localparam int unsigned HalfWords = Words / 2;
  localparam int unsigned RowBits = $clog2(HalfWords);
  // Fewer are lookup tables. Blocks of most families are as deep with words of 32 bits.
  localparam bit Copies = Words >= 128 && Words <= 512;

  logic fetch_half, drain_half;
  assign fetch_half = fetch_addr_i[RowBits];
  assign drain_half = drain_addr_i[RowBits];
  assign drain_wait_o = fetch_i && fetch_half == drain_half;

  // A word is read, then held, then added to: `arrive_q` and `add_q` say where there is one.
  logic arrive_q, add_q, wrote_q;
  logic arrive_zero_q, arrive_maximum_q;
  logic [RowBits:0] arrive_addr_q, add_addr_q, wrote_addr_q;
  logic [AtomicK-1:0][31:0] total, total_q, held_q, previous;
  logic [AtomicK-1:0][31:0] arrived;  // the word that was announced in the cycle before

  // What is added to in this cycle is not in the memory when the next two words are read.
  logic again, shortly;
  assign again = add_q && add_addr_q == arrive_addr_q;
  assign shortly = wrote_q && wrote_addr_q == arrive_addr_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      arrive_q <= 1'b0;
      add_q <= 1'b0;
      wrote_q <= 1'b0;
    end else begin
      arrive_q <= fetch_i;
      add_q <= arrive_q;
      wrote_q <= add_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fetch_i) begin
      arrive_addr_q <= fetch_addr_i[RowBits:0];
      arrive_zero_q <= fetch_zero_i;
      arrive_maximum_q <= fetch_maximum_i;
    end
    if (arrive_q) begin
      add_addr_q <= arrive_addr_q;
    end
    if (add_q) begin
      wrote_addr_q <= add_addr_q;
      total_q <= total;
    end
  end

  // Lanes that take their sums, as the word arrives and as it is added to.
  logic [AtomicK-1:0] taken, lanes;
  if (Pieces) begin : gen_lanes
    logic [6:0] lane_q, lane_end_q;
    always_ff @(posedge clk_i) begin
      if (fetch_i) begin
        lane_q <= fetch_lane_i;
        lane_end_q <= fetch_lane_end_i;
      end
    end
    for (genvar k = 0; k < AtomicK; k++) begin : gen_lane
      assign taken[k] = lane_q <= 7'(k) && lane_end_q > 7'(k);
    end
    always_ff @(posedge clk_i) if (arrive_q) lanes <= taken;
  end else begin : gen_all_lanes
    assign taken = '1;
    assign lanes = '1;
    logic unused;
    assign unused = ^{fetch_lane_i, fetch_lane_end_i, lanes};
  end

  for (genvar k = 0; k < AtomicK; k++) begin : gen_kernels
    // A lane that starts from zero holds zero.
    logic fresh;
    assign fresh = arrive_zero_q && taken[k];

    // Each lane has what all of its bits wait for, which synthesis does not share among them.
    logic again_q, compare_q;
    (* keep *) always_ff @(posedge clk_i) begin
      if (arrive_q) begin
        again_q <= again && !fresh;
        compare_q <= arrive_maximum_q && !arrive_zero_q;
      end
    end

    always_ff @(posedge clk_i) begin
      if (arrive_q) begin
        if (fresh) held_q[k] <= '0;
        else held_q[k] <= shortly ? total_q[k] : arrived[k];
      end
    end
    assign previous[k] = again_q ? total_q[k] : held_q[k];

    logic signed [31:0] summand;
    logic [32:0] added;
    assign summand = 32'($signed(sums_i[k]));
    // One adder: the sum, or the difference whose sign says which is greater.
    adder_subtractor #(
        .Width(33)
    ) u_adder (
        .augend_i({previous[k][31], previous[k]}),
        .addend_i({summand[31], summand}),
        .subtract_i(compare_q),
        .sum_o(added)
    );
    // Above a summand's bits its sign: which of the two is zeros, ones, what was there or the sum is two bits for all.
    logic is_sign, is_previous;
    assign is_sign = compare_q && added[32] && !(Pieces && !lanes[k]);
    assign is_previous = (Pieces && !lanes[k]) || (compare_q && !added[32]);
    // Of the two the one that counts: the sign, where it is that.
    logic sign_or_previous;
    assign sign_or_previous = is_sign ? sums_i[k][SumBits-1] : is_previous;
    always_comb begin
      if (is_previous) total[k] = previous[k];
      else if (is_sign) total[k] = summand;
      else total[k] = added[31:0];
      for (int unsigned b = SumBits; b < 32; b++) begin
        total[k][b] = is_sign ? sign_or_previous : sign_or_previous ? previous[k][b] : added[b];
      end
    end
  end

  // What was not asked for nobody uses: memories are read in each cycle.
  if (Copies) begin : gen_copies
    ram_1r1w #(
        .Width(AtomicK * 32),
        .Depth(Words)
    ) u_added (
        .clk_i,
        .we_i(add_q),
        .waddr_i(add_addr_q),
        .wdata_i(total),
        .re_i(1'b1),
        .raddr_i(fetch_addr_i[RowBits:0]),
        .rdata_o(arrived)
    );
    ram_1r1w #(
        .Width(AtomicK * 32),
        .Depth(Words)
    ) u_drained (
        .clk_i,
        .we_i(add_q),
        .waddr_i(add_addr_q),
        .wdata_i(total),
        .re_i(1'b1),
        .raddr_i(drain_addr_i[RowBits:0]),
        .rdata_o(drain_data_o)
    );
  end else begin : gen_two
    logic [2*AtomicK*32-1:0] rdata;
    logic drain_half_q;
    for (genvar h = 0; h < 2; h++) begin : gen_halves
      logic fetch_here;
      assign fetch_here = fetch_i && fetch_half == 1'(h);

      ram_1r1w #(
          .Width(AtomicK * 32),
          .Depth(HalfWords)
      ) u_half (
          .clk_i,
          .we_i(add_q && add_addr_q[RowBits] == 1'(h)),
          .waddr_i(add_addr_q[RowBits-1:0]),
          .wdata_i(total),
          .re_i(1'b1),
          .raddr_i(fetch_here ? fetch_addr_i[RowBits-1:0] : drain_addr_i[RowBits-1:0]),
          .rdata_o(rdata[h*AtomicK*32+:AtomicK*32])
      );
    end
    always_ff @(posedge clk_i) drain_half_q <= drain_half;
    assign arrived = arrive_addr_q[RowBits] ? rdata[AtomicK*32+:AtomicK*32] : rdata[0+:AtomicK*32];
    assign drain_data_o = drain_half_q ? rdata[AtomicK*32+:AtomicK*32] : rdata[0+:AtomicK*32];
  end

endmodule
