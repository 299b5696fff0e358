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
    /// A feature atom; its sums appear one cycle later.
    input  logic                              valid_i,
    input  logic [             AtomicC*8-1:0] feature_i,
    /// Depthwise: a vector per kernel instead, the taps of the kernel's own channel.
    input  logic                              depthwise_i,
    input  logic [AtomicK-1:0][AtomicC*8-1:0] window_i,
    /// With `depthwise_i`: the greatest value whose weight is not zero takes the place of the sum.
    input  logic                              maximum_i,
    output logic [AtomicK-1:0][  SumBits-1:0] sums_o
);

  for (genvar k = 0; k < AtomicK; k++) begin : gen_kernels
    logic [AtomicC*9-1:0] weights_q;
    logic [AtomicC*8-1:0] feature;
    logic signed [SumBits-1:0] sum, sum_q;
    logic signed [7:0] greatest;

    assign feature = depthwise_i ? window_i[k] : feature_i;

    localparam int unsigned Left = (LutMultipliers > k * AtomicC) ? LutMultipliers - k * AtomicC : 0;
    localparam int unsigned Soft = (Left < AtomicC) ? Left : AtomicC;
    if (Soft == 0) begin : gen_hard
      always_comb begin
        sum = '0;
        for (int unsigned c = 0; c < AtomicC; c++) begin
          sum = sum + SumBits'($signed(weights_q[c*9+:9]) * $signed(feature[c*8+:8]));
        end
      end
    end else begin : gen_soft
      logic [Soft*17-1:0] products;
      for (genvar c = 0; c < Soft; c++) begin : gen_products
        soft_multiplier u_product (
            .weight_i (weights_q[c*9+:9]),
            .feature_i(feature[c*8+:8]),
            .product_o(products[c*17+:17])
        );
      end
      always_comb begin
        sum = '0;
        for (int unsigned c = 0; c < Soft; c++) sum = sum + SumBits'($signed(products[c*17+:17]));
        for (int unsigned c = Soft; c < AtomicC; c++) begin
          sum = sum + SumBits'($signed(weights_q[c*9+:9]) * $signed(feature[c*8+:8]));
        end
      end
    end

    // Pairs, pairs of pairs and so on; taps that are none are the least value.
    localparam int unsigned Leaves = 1 << $clog2(Taps);
    logic [Leaves-1:0] used_q;
    logic [2*Leaves*8-1:0] node;
    always_comb begin
      node = '0;
      for (int unsigned c = 0; c < Leaves; c++) begin
        node[(Leaves+c)*8+:8] = used_q[c] ? window_i[k][(c%AtomicC)*8+:8] : 8'h80;
      end
      for (int unsigned n = Leaves - 1; n > 0; n--) begin
        node[n*8+:8] = ($signed(node[2*n*8+:8]) > $signed(node[(2*n+1)*8+:8])) ?
            node[2*n*8+:8] : node[(2*n+1)*8+:8];
      end
      greatest = maximum_i ? $signed(node[15:8]) : 8'sd0;
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned c = 0; c < Leaves; c++) begin
        if (swap_i) used_q[c] <= c < Taps && tile_i[k][(c%AtomicC)*9+:9] != 9'd0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (swap_i) weights_q <= tile_i[k];
      if (valid_i) sum_q <= maximum_i ? SumBits'(greatest) : sum;
    end

    assign sums_o[k] = sum_q;
  end

endmodule
