/// Reads a tile from the accumulators pixel by pixel, requantises it, takes it through the post
/// lanes and queues the bytes. With a second operand chunks go through the requantiser twice, and one is
/// read in every second cycle. With softmax the tile is read three times, and only the third one is written.
module tile_drain #(
    parameter int unsigned AtomicK = 8,
    parameter int unsigned PostLanes = 8,
    parameter int unsigned AccWords = 512,
    parameter int unsigned ParamGroups = 32,
    parameter int unsigned OperandWords = 512,
    /// The post lanes have tables, and operands.
    parameter bit Tables = 1'b1,
    parameter bit Operands = 1'b1,
    /// Requantisers can round once.
    parameter bit SingleRounding = 1'b1,
    /// There is softmax, which needs tables.
    parameter bit Softmax = 1'b1,
    /// The post lanes square sums, which needs operands.
    parameter bit Squares = 1'b1,
    /// Derived, not to be set.
    parameter int unsigned CountBits = $clog2(PostLanes + 1)
) (
    input  logic                             clk_i,
    /// Synchronous reset, active low.
    input  logic                             rst_ni,
    input  logic                             halt_i,
    /// Starts a tile; the description must hold until `idle_o`.
    input  logic                             start_i,
    input  logic [                     11:0] acc_base_i,
    input  logic [                     11:0] pixels_i,
    input  logic [                      7:0] groups_i,
    input  logic [                      6:0] last_kernels_i,
    input  logic [                      9:0] param_base_i,
    input  logic signed [               7:0] zero_point_i,
    input  logic signed [               7:0] low_i,
    input  logic signed [               7:0] high_i,
    input  logic [                      1:0] rounding_i,
    input  tessera_isa_pkg::st_post_t        post_i,
    input  tessera_isa_pkg::st_result_t      result_i,
    /// Softmax over a pixel's channels.
    input  logic                             softmax_i,
    /// All groups have the parameters of the first.
    input  logic                             same_params_i,
    /// Accumulator read port.
    output logic [                     11:0] acc_addr_o,
    input  logic                             acc_wait_i,
    input  logic [AtomicK-1:0][        31:0] acc_data_i,
    /// Parameter memory read port.
    output unit_pkg::param_read_t            param_o,
    input  logic [PostLanes-1:0][      71:0] param_data_i,
    /// Operand memory read port, read in every cycle; words follow each other from `acc_base_i` on, for each pixel again
    /// where all have the same.
    output logic [                     11:0] operand_addr_o,
    input  logic [           AtomicK*8-1:0]  operand_data_i,
    /// Writes a table's value.
    input  unit_pkg::table_write_t           table_i,
    /// The last accumulator word has been read.
    output logic                             drained_o,
    /// Queued output: `out_count_o` bytes from the lowest on.
    output logic                             out_valid_o,
    input  logic                             out_ready_i,
    output logic [          PostLanes*8-1:0] out_data_o,
    output logic [            CountBits-1:0] out_count_o,
    /// They are the last ones of a pixel.
    output logic                             out_pixel_o,
    /// Nothing to read and nothing in the pipeline or the queue.
    output logic                             idle_o,
    output logic                             acc_error_o,
    output logic                             param_error_o,
    output logic                             operand_error_o,
    output logic [                     31:0] error_info_o
);

  // 0 memories; 1 what they gave; 2 bias, 3 left shift, 4 products of halves, 5 their sum, 6 high half, 7 round and clamp; 8 less
  // zero points; 9 table or product; 10 what is added; 11 to 16 are 2 to 7 again: nine cycles later, when nothing else can be
  // there that was read an even number of cycles after it. A square comes two cycles later, and so do 11 to 16.
  localparam int unsigned Last = 16;
  localparam int unsigned Late = Squares ? 2 : 0;
  localparam int unsigned Stages = Last + 1 + Late;
  localparam int unsigned Given = 1;
  localparam int unsigned Requantised = 7;
  localparam int unsigned Mapped = 9;
  localparam int unsigned Again = 10;
  localparam int unsigned QueueDepth = 16;

  logic active_q;
  logic [11:0] pixel_q;  // from 1 on, as the group
  logic [7:0] group_q;
  logic [6:0] chunk_q;
  logic [12:0] pixel_word_q, word_q;  // of its first group, and of this one
  logic [10:0] param_group_q;

  // Of the word to come, known from the cycle before: kernels left of the group, and whether loops are at their last.
  logic [6:0] left_kernels_q;
  logic last_group_q, last_pixel_q, last_chunk_q, issue, room;

  // With softmax the greatest values, the sums and the results have a walk each. A cycle between them begins the next one.
  typedef enum logic [1:0] {
    Greatest,
    Sums,
    Results
  } walk_e;
  walk_e walk_q;
  logic begins, begins_again_q, row_ready;
  assign begins = start_i || begins_again_q;

  logic [6:0] first_kernels;  // of the next group
  logic next_last;
  assign next_last = begins ? groups_i == 8'd1 : group_q + 8'd1 == groups_i || (last_group_q && groups_i == 8'd1);
  assign first_kernels = next_last ? last_kernels_i : 7'(AtomicK);

  always_ff @(posedge clk_i) begin
    if (begins || (issue && last_chunk_q)) begin
      last_group_q <= next_last;
      left_kernels_q <= first_kernels;
      last_chunk_q <= first_kernels <= 7'(PostLanes);
    end else if (issue) begin
      left_kernels_q <= left_kernels_q - 7'(PostLanes);
      last_chunk_q <= 8'(left_kernels_q) <= 8'(2 * PostLanes);
    end
    if (begins) last_pixel_q <= pixels_i == 12'd1;
    else if (issue && last_chunk_q && last_group_q) last_pixel_q <= pixel_q + 12'd1 == pixels_i;
  end

  logic try_read, turn, operand_read;
  logic [12:0] operand_q;
  assign acc_error_o = active_q && !begins_again_q && !halt_i && word_q >= 13'(AccWords);
  assign param_error_o = active_q && !begins_again_q && !halt_i && param_group_q >= 11'(ParamGroups);
  assign operand_error_o = operand_read && 13'(operand_q) >= 13'(OperandWords);
  assign error_info_o = operand_error_o ? 32'(operand_q) : acc_error_o ? 32'(word_q) : 32'(param_group_q);
  assign try_read = active_q && !begins_again_q && row_ready && room && turn && !halt_i && !acc_error_o && !param_error_o;
  assign acc_addr_o = word_q[11:0];
  assign issue = try_read && !acc_wait_i;
  assign param_o = {param_group_q[9:0], chunk_q};
  logic last_word;
  assign last_word = issue && last_chunk_q && last_group_q && last_pixel_q;
  assign drained_o = last_word && walk_q == Results;

  // Where a tile begins, the next pixel's or group's.
  logic [12:0] next_pixel_word, next_word;
  logic [10:0] next_param_group;
  loaded_adder #(
      .Width(13)
  ) u_pixel_word (
      .load_i  (begins),
      .value_i (13'(acc_base_i)),
      .augend_i(pixel_word_q),
      .addend_i(13'd1),
      .sum_o   (next_pixel_word)
  );
  loaded_adder #(
      .Width(13)
  ) u_word (
      .load_i  (begins || last_group_q),
      .value_i (next_pixel_word),
      .augend_i(word_q),
      .addend_i(13'(pixels_i)),
      .sum_o   (next_word)
  );
  loaded_adder #(
      .Width(11)
  ) u_param_group (
      .load_i  (begins || last_group_q),
      .value_i (11'(param_base_i)),
      .augend_i(param_group_q),
      .addend_i({10'd0, !same_params_i}),
      .sum_o   (next_param_group)
  );

  always_ff @(posedge clk_i) begin
    if (begins || (issue && last_chunk_q)) begin
      word_q <= next_word;
      param_group_q <= next_param_group;
    end
    if (begins || (issue && last_chunk_q && last_group_q)) pixel_word_q <= next_pixel_word;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
    end else if (begins) begin
      active_q <= 1'b1;
      pixel_q <= 12'd1;
      group_q <= 8'd1;
      chunk_q <= '0;
    end else if (issue) begin
      if (!last_chunk_q) begin
        chunk_q <= chunk_q + 7'd1;
      end else begin
        chunk_q <= '0;
        if (!last_group_q) begin
          group_q <= group_q + 8'd1;
        end else begin
          group_q <= 8'd1;
          pixel_q <= pixel_q + 12'd1;
          active_q <= !last_pixel_q || walk_q != Results;
        end
      end
    end
  end

  logic wants_operand, is_softmax, twice;
  logic greatest_walk, sums_walk;  // what the chunk belongs to that has left the requantiser, the table
  // What is not built is not asked for. Softmax ends as other values that come twice do.
  logic [1:0] operation;
  assign is_softmax = Softmax && softmax_i;
  assign operation = is_softmax ? tessera_isa_pkg::StPostOperationMultiply :
      (Tables || Operands) ? post_i.operation : tessera_isa_pkg::StPostOperationNone;
  assign twice = wants_operand || (is_softmax && walk_q == Results);
  logic [Stages-1:0] valid_q;
  logic [Stages-1:0][CountBits-1:0] count_q;
  logic [Requantised-1:0][6:0] pipe_chunk_q;
  logic [Requantised-2:0] pipe_last_q;  // the chunk ends its group
  logic [Stages-1:0] pipe_pixel_q;  // and its pixel
  // From the second trip on.
  logic is_square;
  logic [Last:Again] second_valid;
  logic [CountBits-1:0] last_count;
  logic last_pixel;
  assign is_square = Squares && result_i.square && post_i.operation == tessera_isa_pkg::StPostOperationAdd;
  assign second_valid = is_square ? valid_q[Last+Late:Again+Late] : valid_q[Last:Again];
  assign last_count = is_square ? count_q[Last+Late] : count_q[Last];
  assign last_pixel = is_square ? pipe_pixel_q[Last+Late] : pipe_pixel_q[Last];
  logic [PostLanes*8-1:0] bytes;

  // A chunk goes no further than to where it is written: the next tile may want other stages.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else begin
      valid_q <= {valid_q[Stages-2:0], issue};
      valid_q[Requantised+1] <= valid_q[Requantised] && !greatest_walk &&
          operation != tessera_isa_pkg::StPostOperationNone;
      valid_q[Again] <= valid_q[Mapped] && (wants_operand || (is_softmax && !sums_walk));
    end
  end

  // A chunk comes from its table or its operand and goes through the requantiser again.
  logic again, last_result;
  store_pkg::clamp_t clamp_q;
  if (Operands || Softmax) begin : gen_again
    logic odd_q, last_result_q;
    always_ff @(posedge clk_i) begin
      odd_q <= !begins && !odd_q;
      last_result_q <= second_valid[Last-3];
    end
    assign again = second_valid[Again];
    assign turn = !twice || !odd_q;
    assign last_result = last_result_q;
  end else begin : gen_once
    assign again = 1'b0;
    assign turn = 1'b1;
    assign last_result = 1'b0;
    logic unused;
    assign unused = ^{result_i, twice};
  end

  logic signed [7:0] greatest;
  logic [30:0] factor;
  logic signed [7:0] factor_shift;
  logic [PostLanes-1:0][31:0] terms;
  logic [Mapped:0][1:0] pipe_walk_q;
  if (Softmax) begin : gen_softmax
    logic terms_valid_q;
    logic [30:0] multiplier;
    logic signed [7:0] shift;
    logic [8:0] greatest_count, reciprocal_count, ready_count;
    always_ff @(posedge clk_i) begin
      begins_again_q <= rst_ni && last_word && walk_q != Results;
      if (start_i) walk_q <= softmax_i ? Greatest : Results;
      else if (begins_again_q) walk_q <= (walk_q == Greatest) ? Sums : Results;
      pipe_walk_q[0] <= walk_q;
      for (int unsigned s = 1; s <= Mapped; s++) pipe_walk_q[s] <= pipe_walk_q[s-1];
      terms_valid_q <= rst_ni && valid_q[Mapped] && is_softmax && sums_walk;
    end
    assign greatest_walk = is_softmax && pipe_walk_q[Requantised] == Greatest;
    assign sums_walk = pipe_walk_q[Mapped] == Sums;
    assign ready_count = (walk_q == Sums) ? greatest_count : reciprocal_count;
    assign row_ready = !is_softmax || walk_q == Greatest || 12'(ready_count) >= pixel_q;

    logic signed [7:0] row_greatest;
    softmax_rows #(
        .PostLanes(PostLanes)
    ) u_rows (
        .clk_i,
        .rst_ni,
        .start_i,
        .pixels_i,
        .values_valid_i(valid_q[Requantised] && greatest_walk),
        .values_i(bytes),
        .values_count_i(count_q[Requantised]),
        .values_pixel_i(pipe_pixel_q[Requantised]),
        .terms_valid_i(terms_valid_q),
        .terms_i(terms),
        .terms_count_i(count_q[Again]),
        .terms_pixel_i(pipe_pixel_q[Again]),
        .look_i(valid_q[Requantised-2] && pipe_walk_q[Requantised-2] != Greatest),
        .look_pixel_i(pipe_pixel_q[Requantised-2]),
        .greatest_o(row_greatest),
        .take_i(valid_q[Mapped-1] && pipe_walk_q[Mapped-1] == Results),
        .take_pixel_i(pipe_pixel_q[Mapped-1]),
        .multiplier_o(multiplier),
        .shift_o(shift),
        .greatest_count_o(greatest_count),
        .reciprocal_count_o(reciprocal_count)
    );
    assign greatest = is_softmax ? row_greatest : 8'sd0;
    assign factor = is_softmax ? multiplier : post_i.multiplier;
    assign factor_shift = is_softmax ? shift : 8'(post_i.shift);
  end else begin : gen_no_softmax
    assign begins_again_q = 1'b0;
    assign walk_q = Results;
    assign greatest_walk = 1'b0;
    assign sums_walk = 1'b0;
    assign row_ready = 1'b1;
    assign greatest = 8'sd0;
    assign factor = post_i.multiplier;
    assign factor_shift = 8'(post_i.shift);
    assign pipe_walk_q = '0;
    logic unused_softmax;
    assign unused_softmax = ^{softmax_i, terms, last_word, pipe_walk_q};
  end

  always_ff @(posedge clk_i) begin
    clamp_q <= store_pkg::clamp(last_result ? result_i.zero_point : zero_point_i, last_result ? result_i.low : low_i,
                                last_result ? result_i.high : high_i);
  end

  always_ff @(posedge clk_i) begin
    if (issue) begin
      pipe_chunk_q[0] <= chunk_q;
      pipe_last_q[0]  <= last_chunk_q;
      pipe_pixel_q[0] <= last_chunk_q && last_group_q;
      count_q[0] <= last_chunk_q ? CountBits'(left_kernels_q) : CountBits'(PostLanes);
    end
    for (int unsigned s = 1; s < Stages; s++) begin
      if (valid_q[s-1]) count_q[s] <= count_q[s-1];
      if (valid_q[s-1]) pipe_pixel_q[s] <= pipe_pixel_q[s-1];
    end
    for (int unsigned s = 1; s < Requantised - 1; s++) begin
      if (valid_q[s-1]) pipe_last_q[s] <= pipe_last_q[s-1];
    end
    for (int unsigned s = 1; s < Requantised; s++) begin
      if (valid_q[s-1]) pipe_chunk_q[s] <= pipe_chunk_q[s-1];
    end
  end

  // Operands are wanted when the values leave the first requantiser: read two cycles earlier, since they wait in a register.
  assign wants_operand = Operands && (post_i.operation == tessera_isa_pkg::StPostOperationAdd ||
      post_i.operation == tessera_isa_pkg::StPostOperationMultiply);
  assign operand_read = valid_q[Requantised-2] && wants_operand && !halt_i;
  assign operand_addr_o = operand_q[11:0];

  logic [12:0] next_operand;
  loaded_adder #(
      .Width(13)
  ) u_operand (
      .load_i  (start_i || (result_i.per_channel && pipe_pixel_q[Requantised-2])),
      .value_i (13'(acc_base_i)),
      .augend_i(operand_q),
      .addend_i(13'(pipe_last_q[Requantised-2])),
      .sum_o   (next_operand)
  );
  always_ff @(posedge clk_i) if (start_i || operand_read) operand_q <= next_operand;

  logic [PostLanes*32-1:0] selected_q;
  logic [PostLanes-1:0][71:0] params_q;
  logic [PostLanes*8-1:0] operands_q, mapped, written;
  // The last chunk of a group may have lanes without a kernel.
  localparam int unsigned Lanes = (AtomicK + PostLanes - 1) / PostLanes * PostLanes;
  logic [Lanes-1:0][31:0] sums;
  logic [Lanes*8-1:0] operand_bytes;
  assign sums = (Lanes * 32)'(acc_data_i);
  assign operand_bytes = (Lanes * 8)'(operand_data_i);
  // Of as many bits as chunks are: every further one would double the multiplexer.
  localparam int unsigned ChunkBits = (Lanes > PostLanes) ? $clog2(Lanes / PostLanes) : 1;
  logic [ChunkBits-1:0] sums_chunk, operand_chunk;
  assign sums_chunk = pipe_chunk_q[0][ChunkBits-1:0];
  assign operand_chunk = pipe_chunk_q[Requantised-1][ChunkBits-1:0];
  // The memories are slow and far from the lanes.
  always_ff @(posedge clk_i) begin
    if (valid_q[0]) begin
      selected_q <= sums[sums_chunk*PostLanes+:PostLanes];
      params_q   <= param_data_i;
    end
    operands_q <= operand_bytes[operand_chunk*PostLanes*8+:PostLanes*8];
  end

  for (genvar l = 0; l < PostLanes; l++) begin : gen_lanes
    logic [31:0] acc_q, bias_q;
    requant_lane #(
        .SingleRounding(SingleRounding)
    ) u_lane (
        .clk_i,
        .stage_i(valid_q[Requantised-1:Given] | {second_valid[Last-1:Again+1], again}),
        .acc_i(selected_q[l*32+:32]),
        .again_i(again),
        .again_acc_i(acc_q),
        .bias_i(again ? bias_q : params_q[l][31:0]),
        .multiplier_i(again ? {1'b0, factor} : params_q[l][63:32]),
        .shift_i(again ? factor_shift : params_q[l][71:64]),
        .rounding_i,
        .clamp_i(clamp_q),
        .data_o(bytes[l*8+:8])
    );

    assign terms[l] = acc_q;

    post_lane #(
        .Tables(Tables),
        .Operands(Operands),
        .Softmax(Softmax),
        .Squares(Squares)
    ) u_post (
        .clk_i,
        .table_we_i(table_i.we),
        .table_addr_i(table_i.address),
        .table_data_i(table_i.data),
        .valid_i(valid_q[Requantised]),
        .post_i,
        .data_i(bytes[l*8+:8]),
        .operand_i(operands_q[l*8+:8]),
        .softmax_i(is_softmax),
        .square_i(is_square),
        .greatest_i(greatest),
        .mapped_o(mapped[l*8+:8]),
        .acc_o(acc_q),
        .bias_o(bias_q)
    );
  end

  logic write, write_pixel;
  logic [CountBits-1:0] write_count;
  always_comb begin
    unique case (operation)
      tessera_isa_pkg::StPostOperationNone: begin
        write = valid_q[Requantised];
        write_count = count_q[Requantised];
        write_pixel = pipe_pixel_q[Requantised];
        written = bytes;
      end
      tessera_isa_pkg::StPostOperationTable: begin
        write = valid_q[Mapped];
        write_count = count_q[Mapped];
        write_pixel = pipe_pixel_q[Mapped];
        written = mapped;
      end
      default: begin
        write = second_valid[Last];
        write_count = last_count;
        write_pixel = last_pixel;
        written = bytes;
      end
    endcase
  end

  // The queue takes whatever is in the pipeline: a read is issued only with a place reserved.
  logic [4:0] reserved_q;
  logic queue_empty, queue_full, pop;
  assign room = reserved_q < 5'(QueueDepth) || walk_q != Results;
  assign pop = out_valid_o && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) reserved_q <= '0;
    else reserved_q <= reserved_q + 5'(issue && walk_q == Results) - 5'(pop);
  end

  sync_fifo #(
      .Width(PostLanes * 8 + CountBits + 1),
      .Depth(QueueDepth)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .push_i (write),
      .data_i ({write_pixel, write_count, written}),
      .full_o (queue_full),
      .pop_i  (pop),
      .data_o ({out_pixel_o, out_count_o, out_data_o}),
      .empty_o(queue_empty)
  );

  assign out_valid_o = !queue_empty;
  assign idle_o = !active_q && reserved_q == '0 && !queue_full;

endmodule
