/// AtomicK x AtomicC multipliers of int8 features and 9-bit weights, one adder tree per kernel. Weights are stationary; the next
/// tile waits in the shadow registers outside.
module mac_array #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    /// Taps of the depthwise window.
    parameter int unsigned Taps = AtomicC,
    /// Multipliers that are made of logic, the first kernels' first.
    parameter int unsigned LutMultipliers = 0,
    /// Bits of an adder tree's result. Derived, not to be set.
    parameter int unsigned SumBits = 17 + $clog2(AtomicC)
) (
    input  logic                              clk_i,
    /// Takes `tile_i` as the weights from the next feature atom on.
    input  logic                              swap_i,
    input  logic [AtomicK-1:0][AtomicC*9-1:0] tile_i,
    /// Features of every kernel, for the weights taken before; their sums appear two cycles later.
    input  logic                              valid_i,
    input  logic [AtomicK-1:0][AtomicC*8-1:0] features_i,
    /// The greatest of the taps whose weight is not zero takes the place of the sum.
    input  logic                              maximum_i,
    output logic [AtomicK-1:0][  SumBits-1:0] sums_o
);

  logic valid_q, maximum_q;
  always_ff @(posedge clk_i) begin
    valid_q <= valid_i;
    if (valid_i) maximum_q <= maximum_i;
  end

  for (genvar k = 0; k < AtomicK; k++) begin : gen_kernels
    logic [AtomicC*9-1:0] weights_q;
    logic [AtomicC*8-1:0] feature;
    assign feature = features_i[k];

    // Products, then their sum: the chip's multipliers are far from each other.
    localparam int unsigned Left = (LutMultipliers > k * AtomicC) ? LutMultipliers - k * AtomicC : 0;
    localparam int unsigned Soft = (Left < AtomicC) ? Left : AtomicC;
    logic [AtomicC*17-1:0] products_q;
    for (genvar c = 0; c < AtomicC; c++) begin : gen_products
      if (c < Soft) begin : gen_soft
        logic signed [16:0] product, product_q;
        soft_multiplier u_product (
            .weight_i (weights_q[c*9+:9]),
            .feature_i(feature[c*8+:8]),
            .product_o(product)
        );
        always_ff @(posedge clk_i) if (valid_i) product_q <= product;
        assign products_q[c*17+:17] = product_q;
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

    logic [SumBits-1:0] sum, sum_q;
    adder_tree #(
        .Terms(AtomicC),
        .Width(17)
    ) u_sum (
        .terms_i(products_q),
        .sum_o  (sum)
    );

    // Pairs, pairs of pairs and so on, half of the levels in each cycle; taps that are none are the least value.
    localparam int unsigned Leaves = 1 << $clog2(Taps);
    localparam int unsigned Held = 1 << ($clog2(Taps) / 2);  // nodes between the cycles
    logic [Leaves-1:0] used_q;
    logic [2*Leaves*8-1:0] early;
    logic [2*Held*8-1:0] late;
    logic [Held*8-1:0] held_q;
    always_comb begin
      early = '0;
      for (int unsigned c = 0; c < Leaves; c++) begin
        early[(Leaves+c)*8+:8] = used_q[c] ? feature[(c%AtomicC)*8+:8] : 8'h80;
      end
      for (int unsigned n = Leaves - 1; n >= Held; n--) begin
        early[n*8+:8] = ($signed(early[2*n*8+:8]) > $signed(early[(2*n+1)*8+:8])) ? early[2*n*8+:8] : early[(2*n+1)*8+:8];
      end
    end
    always_comb begin
      late = '0;
      late[Held*8+:Held*8] = held_q;
      for (int unsigned n = Held - 1; n > 0; n--) begin
        late[n*8+:8] = ($signed(late[2*n*8+:8]) > $signed(late[(2*n+1)*8+:8])) ? late[2*n*8+:8] : late[(2*n+1)*8+:8];
      end
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned c = 0; c < Leaves; c++) begin
        if (swap_i) used_q[c] <= c < Taps && tile_i[k][(c%AtomicC)*9+:9] != 9'd0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (swap_i) weights_q <= tile_i[k];
      if (valid_i) held_q <= early[Held*8+:Held*8];
      if (valid_q) sum_q <= maximum_q ? SumBits'($signed(late[15:8])) : sum;
    end

    assign sums_o[k] = sum_q;
  end

endmodule
