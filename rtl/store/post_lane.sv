/// What follows the requantiser in one lane: a table for functions of one value, or a second operand
/// added or multiplied, which goes through the requantiser again. Bit-exact with TensorFlow Lite's
/// reference kernels, whose inputs to an addition are shifted left by 20 bits and scaled, at most one of
/// them by other than a half: that one comes from the table. What is to be squared they shift by 7 bits.
module post_lane #(
    /// Tables, and operands, are built.
    parameter bit Tables = 1'b1,
    parameter bit Operands = 1'b1,
    /// The table's value alone can be wanted again.
    parameter bit Softmax = 1'b1,
    /// Sums can be squared.
    parameter bit Squares = 1'b1
) (
    input  logic                              clk_i,
    /// Writes a value to the tables: table, then the index as an unsigned byte.
    input  logic                              table_we_i,
    input  logic                       [ 8:0] table_addr_i,
    input  logic                       [31:0] table_data_i,
    /// There is data.
    input  logic                              valid_i,
    /// Must hold for three cycles more.
    input  tessera_isa_pkg::st_post_t         post_i,
    /// The requantised value and the operand.
    input  logic signed                [ 7:0] data_i,
    input  logic signed                [ 7:0] operand_i,
    /// The table's value comes back, with nothing added.
    input  logic                              softmax_i,
    /// The sum is squared: the square comes two cycles later than a sum does.
    input  logic                              square_i,
    /// The table maps the value less this one.
    input  logic signed                [ 7:0] greatest_i,
    /// The table's low byte, two cycles later.
    output logic                       [ 7:0] mapped_o,
    /// The terms of the sum, or the product and nothing, three cycles later. For that `valid_i` comes in every second cycle at most.
    output logic signed                [31:0] acc_o,
    output logic signed                [31:0] bias_o
);

  localparam int unsigned PlainShift = 19;
  localparam int unsigned SquarePlainShift = 6;
  localparam int unsigned SquareBits = 16;

  logic signed [31:0] mapped;

  if (Tables) begin : gen_table
    logic [8:0] index_q;
    always_ff @(posedge clk_i) begin
      if (valid_i) index_q <= {post_i.table_select, post_i.table_operand ? operand_i : data_i - greatest_i};
    end

    ram_1r1w #(
        .Width(32),
        .Depth(512)
    ) u_table (
        .clk_i,
        .we_i(table_we_i),
        .waddr_i(table_addr_i),
        .wdata_i(table_data_i),
        // What was not asked for nobody uses.
        .re_i(1'b1),
        .raddr_i(index_q),
        .rdata_o(mapped)
    );
  end else begin : gen_no_table
    assign mapped = '0;
    logic unused;
    assign unused = ^{clk_i, table_we_i, table_addr_i, table_data_i, greatest_i};
  end

  assign mapped_o = mapped[7:0];

  if (Operands) begin : gen_operands
    // Less their zero points.
    logic signed [8:0] data_q, operand_q;
    always_ff @(posedge clk_i) begin
      if (valid_i) begin
        data_q <= 9'(data_i) - 9'(post_i.zero_y);
        operand_q <= 9'(operand_i) - 9'(post_i.zero_r);
      end
    end

    logic signed [31:0] plain, shifted;
    assign plain = post_i.table_operand ? 32'(data_q) : 32'(operand_q);
    logic signed [31:0] negated;
    assign negated = post_i.negate ? -plain : plain;
    assign shifted = (Squares && square_i) ? negated <<< SquarePlainShift : negated <<< PlainShift;

    logic multiply;
    assign multiply = post_i.operation == tessera_isa_pkg::StPostOperationMultiply;

    logic signed [31:0] acc_q, bias_q, product;
    always_ff @(posedge clk_i) begin
      acc_q  <= multiply ? product : mapped;
      bias_q <= (multiply || softmax_i) ? 32'sd0 : shifted;
    end
    if (Squares) begin : gen_squares
      logic signed [SquareBits-1:0] sum_q, first, second;
      assign first = square_i ? sum_q : SquareBits'(data_q);
      assign second = square_i ? sum_q : SquareBits'(operand_q);
      always_ff @(posedge clk_i) sum_q <= acc_q[SquareBits-1:0] + bias_q[SquareBits-1:0];
      registered_product #(
          .FirstBits (SquareBits),
          .SecondBits(SquareBits)
      ) u_product (
          .clk_i,
          .enable_i (1'b1),
          .first_i  (first),
          .second_i (second),
          .product_o(product)
      );
      assign acc_o  = square_i ? product : acc_q;
      assign bias_o = square_i ? 32'sd0 : bias_q;
    end else begin : gen_no_squares
      logic signed [17:0] product_q;
      registered_product #(
          .FirstBits (9),
          .SecondBits(9)
      ) u_product (
          .clk_i,
          .enable_i (1'b1),
          .first_i  (data_q),
          .second_i (operand_q),
          .product_o(product_q)
      );
      assign product = 32'(product_q);
      assign acc_o  = acc_q;
      assign bias_o = bias_q;
      logic unused_square;
      assign unused_square = square_i;
    end
  end else if (Softmax) begin : gen_table_again
    logic signed [31:0] acc_q;
    always_ff @(posedge clk_i) acc_q <= mapped;
    assign acc_o  = acc_q;
    assign bias_o = '0;
    logic unused;
    assign unused = ^{post_i, operand_i, softmax_i, square_i};
  end else begin : gen_no_operands
    assign acc_o = '0;
    assign bias_o = '0;
    logic unused;
    assign unused = ^{clk_i, valid_i, post_i, data_i, operand_i, softmax_i, square_i};
  end

endmodule
