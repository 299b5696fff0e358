/// AtomicK x AtomicC multipliers of features of 8 or 9 bits and 9-bit weights, one adder tree per kernel. Weights are stationary; the next
/// tile waits in the shadow registers outside.
module mac_array #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    /// Taps of the depthwise window.
    parameter int unsigned Taps = AtomicC,
    /// Multipliers that are made of logic, the first kernels' first.
    parameter int unsigned LutMultipliers = 0,
    /// Features have a ninth bit.
    parameter bit Signs = 1'b0,
    /// Bits of an adder tree's result. Derived, not to be set.
    parameter int unsigned SumBits = 17 + $clog2(AtomicC)
) (
    input  logic                              clk_i,
    /// Takes `tile_i` as the weights from the next feature atom on.
    input  logic                              swap_i,
    input  logic [AtomicK-1:0][AtomicC*9-1:0] tile_i,
    /// Features of every kernel, for the weights taken before; their sums appear three cycles later.
    input  logic                              valid_i,
    input  logic [AtomicK-1:0][AtomicC*8-1:0] features_i,
    /// Their signs above the bytes, with Signs; each is at most 255 more or less than zero, as each weight is.
    input  logic [AtomicK-1:0][  AtomicC-1:0] signs_i,
    /// The greatest of the taps whose weight is not zero takes the place of the sum.
    input  logic                              maximum_i,
    output logic [AtomicK-1:0][  SumBits-1:0] sums_o
);

  logic valid_q, maximum_q, paired_q, paired_maximum_q;
  always_ff @(posedge clk_i) begin
    valid_q  <= valid_i;
    paired_q <= valid_q;
    if (valid_i) maximum_q <= maximum_i;
    if (valid_q) paired_maximum_q <= maximum_q;
  end

  if (!Signs) begin : gen_no_signs
    logic unused;
    assign unused = ^signs_i;
  end

  for (genvar k = 0; k < AtomicK; k++) begin : gen_kernels
    logic [AtomicC*9-1:0] weights_q;
    logic [AtomicC*8-1:0] feature;
    assign feature = features_i[k];

    // Products, sums of two, the sum of all: the chip's multipliers are far from each other and from all adders.
    localparam int unsigned Left = (LutMultipliers > k * AtomicC) ? LutMultipliers - k * AtomicC : 0;
    localparam int unsigned Soft = (Left < AtomicC) ? Left : AtomicC;
    logic [AtomicC*17-1:0] products_q;
    for (genvar c = 0; c < AtomicC; c++) begin : gen_products
      if (c < Soft) begin : gen_soft
        logic signed [16:0] of_byte, product, product_q;
        soft_multiplier u_product (
            .weight_i (weights_q[c*9+:9]),
            .feature_i(feature[c*8+:8]),
            .product_o(of_byte)
        );
        if (Signs) begin : gen_sign
          // The byte taken as signed is 256 less, or more, where its own sign is not the feature's.
          logic [8:0] weight;
          logic less, more;
          assign weight = weights_q[c*9+:9];
          assign less = feature[c*8+7] && !signs_i[k][c];
          assign more = !feature[c*8+7] && signs_i[k][c];
          assign product = {of_byte[16:8] + ((weight & {9{less}}) | (~weight & {9{more}})) + 9'(more), of_byte[7:0]};
        end else begin : gen_byte
          assign product = of_byte;
        end
        always_ff @(posedge clk_i) if (valid_i) product_q <= product;
        assign products_q[c*17+:17] = product_q;
      end else if (Signs) begin : gen_wide
        logic [17:0] product;
        registered_product #(
            .FirstBits (9),
            .SecondBits(9)
        ) u_product (
            .clk_i,
            .enable_i (valid_i),
            .first_i  (weights_q[c*9+:9]),
            .second_i ({signs_i[k][c], feature[c*8+:8]}),
            .product_o(product)
        );
        assign products_q[c*17+:17] = product[16:0];
        logic unused;
        assign unused = product[17];
      end else begin : gen_hard
        registered_product #(
            .FirstBits (9),
            .SecondBits(8)
        ) u_product (
            .clk_i,
            .enable_i (valid_i),
            .first_i  (weights_q[c*9+:9]),
            .second_i (feature[c*8+:8]),
            .product_o(products_q[c*17+:17])
        );
      end
    end

    localparam int unsigned Pairs = AtomicC / 2;
    logic [Pairs*18-1:0] pairs_q;
    for (genvar p = 0; p < Pairs; p++) begin : gen_pairs
      logic signed [16:0] even, odd;
      assign even = products_q[2*p*17+:17];
      assign odd  = products_q[(2*p+1)*17+:17];
      always_ff @(posedge clk_i) if (valid_q) pairs_q[p*18+:18] <= 18'(even) + 18'(odd);
    end

    // The greater one of two, of four and so on, beside the sums; taps that are none are the least value, which no comparison waits
    // for.
    localparam int unsigned Leaves = 1 << $clog2(Taps);
    localparam int unsigned Held = (Leaves > 8) ? 4 : (Leaves > 1) ? Leaves / 2 : 1;
    localparam int unsigned HeldPairs = (Held > 1) ? Held / 2 : 1;
    logic [Leaves-1:0] used_q;
    logic [Held*8-1:0] early;
    logic [HeldPairs*8-1:0] middle;
    logic [2*HeldPairs*8-1:0] late;
    logic [Held*8-1:0] held_q;
    logic [HeldPairs*8-1:0] middle_q;
    if (Leaves > 1) begin : gen_early
      logic [Leaves*8-1:0] greater;
      logic first, second;
      always_comb begin
        greater = '0;
        first   = 1'b0;
        second  = 1'b0;
        for (int unsigned n = 0; n < Leaves / 2; n++) begin
          first = used_q[2*n] && (!used_q[2*n+1] || $signed(feature[(2*n%AtomicC)*8+:8]) > $signed(feature[((2*n+1)%AtomicC)*8+:8]));
          second = used_q[2*n+1] && !first;
          greater[(Leaves/2+n)*8+:8] = ({8{first}} & feature[(2*n%AtomicC)*8+:8]) | ({8{second}} & feature[((2*n+1)%AtomicC)*8+:8]) |
              {!first && !second, 7'd0};
        end
        for (int unsigned n = Leaves / 2 - 1; n >= Held; n--) begin
          greater[n*8+:8] = ($signed(greater[2*n*8+:8]) > $signed(greater[(2*n+1)*8+:8])) ? greater[2*n*8+:8] : greater[(2*n+1)*8+:8];
        end
      end
      assign early = greater[Held*8+:Held*8];
    end else begin : gen_only
      assign early = used_q[0] ? feature[7:0] : 8'h80;
    end
    if (Held > 1) begin : gen_middle
      for (genvar n = 0; n < HeldPairs; n++) begin : gen_pairs
        assign middle[n*8+:8] = ($signed(held_q[2*n*8+:8]) > $signed(held_q[(2*n+1)*8+:8])) ? held_q[2*n*8+:8] : held_q[(2*n+1)*8+:8];
      end
    end else begin : gen_one
      assign middle = held_q;
    end
    always_comb begin
      late = '0;
      late[HeldPairs*8+:HeldPairs*8] = middle_q;
      for (int unsigned n = HeldPairs - 1; n > 0; n--) begin
        late[n*8+:8] = ($signed(late[2*n*8+:8]) > $signed(late[(2*n+1)*8+:8])) ? late[2*n*8+:8] : late[(2*n+1)*8+:8];
      end
    end

    // The sum of all, or the greatest.
    logic [SumBits-1:0] greatest, sum, sum_q;
    assign greatest = SumBits'($signed(late[15:8]));
    if (Pairs > 1) begin : gen_sum
      localparam int unsigned Half = 1 << ($clog2(Pairs) - 1);
      logic signed [18+$clog2(Half)-1:0] first;
      logic signed [18+$clog2(Pairs-Half)-1:0] second;
      adder_tree #(
          .Terms(Half),
          .Width(18)
      ) u_first (
          .terms_i(pairs_q[Half*18-1:0]),
          .sum_o  (first)
      );
      adder_tree #(
          .Terms(Pairs - Half),
          .Width(18)
      ) u_second (
          .terms_i(pairs_q[Pairs*18-1:Half*18]),
          .sum_o  (second)
      );
      loaded_adder #(
          .Width(SumBits)
      ) u_sum (
          .load_i  (paired_maximum_q),
          .value_i (greatest),
          .augend_i(SumBits'(first)),
          .addend_i(SumBits'(second)),
          .sum_o   (sum)
      );
    end else begin : gen_pair
      assign sum = paired_maximum_q ? greatest : SumBits'($signed(pairs_q));
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned c = 0; c < Leaves; c++) begin
        if (swap_i) used_q[c] <= c < Taps && tile_i[k][(c%AtomicC)*9+:9] != 9'd0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (swap_i) weights_q <= tile_i[k];
      if (valid_i) held_q <= early;
      if (valid_q) middle_q <= middle;
      if (paired_q) sum_q <= sum;
    end

    assign sums_o[k] = sum_q;
  end

endmodule
