/// Parameter records {shift, multiplier, bias} from chunks: three words, 8 bytes that hold all of
/// it, or biases that share a factor.
module param_records #(
    parameter int unsigned AtomicK = 8,
    /// Chunks have the 8 bytes, or two biases; else a word of each.
    parameter bit Whole = 1'b1
) (
    input  logic        clk_i,
    /// Synchronous reset, active low: the next chunk begins the first record of a load.
    input  logic        rst_ni,
    input  logic        valid_i,
    input  logic [63:0] chunk_i,
    /// 8 bytes per record.
    input  logic        compact_i,
    /// Biases.
    input  logic        uniform_i,
    /// {shift, multiplier} of these.
    input  logic [36:0] factor_i,
    /// A record is there, or two.
    output logic        done_o,
    output logic        pair_o,
    /// Kernel group from the load's first on, and channel in it.
    output logic [ 9:0] group_o,
    output logic [ 6:0] channel_o,
    output logic [71:0] first_o,
    output logic [71:0] second_o
);

  logic [1:0] word_q;
  logic [31:0] bias_q, multiplier_q;
  logic [9:0] group_q;
  logic [6:0] channel_q, channels;
  logic last, group_last;
  assign pair_o = Whole && uniform_i;
  assign channels = pair_o ? 7'd2 : 7'd1;
  assign group_last = channel_q == 7'(AtomicK) - channels;
  assign last = uniform_i || (compact_i && (Whole || word_q == 2'd1)) || word_q == 2'd2;

  logic [27:0] compact_bias;
  logic [5:0] compact_shift;
  logic [29:0] compact_multiplier;
  assign {compact_multiplier, compact_shift, compact_bias} = Whole ? chunk_i : {chunk_i[31:0], bias_q};

  logic [39:0] factor;
  assign factor = {{2{factor_i[36]}}, factor_i[36:31], 1'b0, factor_i[30:0]};
  assign first_o = compact_i ?
      {{2{compact_shift[5]}}, compact_shift, 2'b01, compact_multiplier,
       {4{compact_bias[27]}}, compact_bias} :
      uniform_i ? {factor, chunk_i[31:0]} : {chunk_i[7:0], multiplier_q, bias_q};
  assign second_o = {factor, chunk_i[63:32]};
  assign done_o = valid_i && last;
  assign group_o = group_q;
  assign channel_o = channel_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      word_q <= '0;
      group_q <= '0;
      channel_q <= '0;
    end else if (valid_i) begin
      word_q <= last ? '0 : word_q + 2'd1;
      if (word_q == 2'd0) bias_q <= chunk_i[31:0];
      if (word_q == 2'd1) multiplier_q <= chunk_i[31:0];
      if (last) begin
        channel_q <= group_last ? '0 : channel_q + channels;
        if (group_last) group_q <= group_q + 10'd1;
      end
    end
  end

endmodule
