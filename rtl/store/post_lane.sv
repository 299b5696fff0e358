/// What follows the requantiser in one lane: a table for functions of one value, or a second operand
/// added or multiplied and requantised again. Bit-exact with TensorFlow Lite's reference kernels,
/// whose inputs to an addition are shifted left by 20 bits and scaled, at most one of them by other
/// than a half: that one comes from the table.
module post_lane #(
    /// Tables, and operands, are built.
    parameter bit Tables = 1'b1,
    parameter bit Operands = 1'b1
) (
    input  logic                              clk_i,
    /// Writes a value to the tables: table, then the index as an unsigned byte.
    input  logic                              table_we_i,
    input  logic                       [ 8:0] table_addr_i,
    input  logic                       [31:0] table_data_i,
    /// Stage enables: bit i is high when stage i holds data.
    input  logic                       [ 6:0] stage_i,
    /// Both must hold from the first stage until the data is out.
    input  tessera_isa_pkg::st_post_t         post_i,
    input  tessera_isa_pkg::st_result_t       result_i,
    /// Stage 0: the requantised value and the operand.
    input  logic signed                [ 7:0] data_i,
    input  logic signed                [ 7:0] operand_i,
    /// The table's low byte, one cycle later.
    output logic                       [ 7:0] mapped_o,
    /// Sum or product, seven cycles later.
    output logic                       [ 7:0] data_o
);

  localparam int unsigned PlainShift = 19;

  logic signed [31:0] mapped;

  if (Tables) begin : gen_table
    ram_1r1w #(
        .Width(32),
        .Depth(512)
    ) u_table (
        .clk_i,
        .we_i(table_we_i),
        .waddr_i(table_addr_i),
        .wdata_i(table_data_i),
        .re_i(stage_i[0]),
        .raddr_i({post_i.table_select, post_i.table_operand ? operand_i : data_i}),
        .rdata_o(mapped)
    );
  end else begin : gen_no_table
    assign mapped = '0;
    logic unused;
    assign unused = ^{clk_i, table_we_i, table_addr_i, table_data_i};
  end

  assign mapped_o = mapped[7:0];

  if (Operands) begin : gen_operands
    // Less their zero points.
    logic signed [8:0] data_q, operand_q;
    always_ff @(posedge clk_i) begin
      if (stage_i[0]) begin
        data_q <= 9'(data_i) - 9'(post_i.zero_y);
        operand_q <= 9'(operand_i) - 9'(post_i.zero_r);
      end
    end

    logic signed [31:0] plain, shifted, product;
    assign plain = post_i.table_operand ? 32'(data_q) : 32'(operand_q);
    assign shifted = (post_i.negate ? -plain : plain) <<< PlainShift;
    assign product = data_q * operand_q;

    logic multiply;
    assign multiply = post_i.operation == tessera_isa_pkg::StPostOperationMultiply;

    requant_lane u_requant (
        .clk_i,
        .stage_i(stage_i[6:1]),
        .acc_i(multiply ? product : mapped),
        .bias_i(multiply ? 32'sd0 : shifted),
        .multiplier_i({1'b0, post_i.multiplier}),
        .shift_i(8'(post_i.shift)),
        .zero_point_i(result_i.zero_point),
        .low_i(result_i.low),
        .high_i(result_i.high),
        .data_o
    );
  end else begin : gen_no_operands
    assign data_o = '0;
    logic unused;
    assign unused = ^{clk_i, stage_i, post_i, result_i, data_i, operand_i};
  end

endmodule
