/// Compute unit: convolutions from the cbuf through the MAC array into the accumulators.
///
/// Pipeline: S0 sequencer issues a step; S1 a bank of the cbuf reads; S2 the atom arrives or padding replaces it;
/// S3 the array multiplies; S4 it adds two and two, the accumulator word is fetched; S5 it adds all; S6 sums are added and written.
module compute_unit #(
    parameter int unsigned AtomicC = 8,
    parameter int unsigned AtomicK = 8,
    parameter int unsigned AccWords = 512,
    parameter int unsigned WindowRows = 2,
    parameter int unsigned WindowCols = 4,
    parameter int unsigned LineAtoms = 128,
    /// A bit for each feature that is built.
    parameter int unsigned Features = (1 << tessera_isa_pkg::NumFeatures) - 1,
    /// Multipliers that are made of logic: the array's, then those of four pitches, which have a cycle for all of it.
    parameter int unsigned LutMultipliers = 0
) (
    input  logic                          clk_i,
    /// Synchronous reset, active low.
    input  logic                          rst_ni,
    input  logic                          halt_i,
    /// Command queue head.
    input  unit_pkg::command_t            cmd_i,
    output logic                          cmd_ready_o,
    /// Tokens.
    input  unit_pkg::tokens_t             tokens_i,
    output unit_pkg::tokens_t             take_o,
    output unit_pkg::tokens_t             post_o,
    /// Cbuf read ports.
    input  logic [                  20:0] cbuf_limit_i,
    output logic [                  19:0] feature_addr_o,
    input  logic [         AtomicC*8-1:0] feature_data_i,
    input  logic                          feature_refused_i,
    output logic                          weight_re_o,
    output logic [                  19:0] weight_addr_o,
    input  logic [         AtomicC*8-1:0] weight_data_i,
    /// Accumulator drain port, for the store unit.
    input  logic [                  11:0] drain_addr_i,
    output logic                          drain_wait_o,
    output logic [AtomicK-1:0][     31:0] drain_data_o,
    output unit_pkg::activity_t           activity_o,
    output unit_pkg::status_t             status_o
);

  localparam bit HasDepthwise = (Features >> tessera_isa_pkg::FeatureDepthwise) % 2 == 1;
  localparam bit HasZeroPoints = (Features >> tessera_isa_pkg::FeatureZeroPoints) % 2 == 1;
  localparam bit HasCentred = (Features >> tessera_isa_pkg::FeatureCentredFeatures) % 2 == 1;
  localparam int unsigned SumBits = 17 + $clog2(AtomicC);

  // A cycle late, from a register nearby, which synthesis does not share among the units: what the unit does in it stays in the unit.
  logic halt_q;
  (* keep *) always_ff @(posedge clk_i) halt_q <= rst_ni && halt_i;

  // Decode --------------------------------------------------------------------------------------

  tessera_isa_pkg::cv_input_t input_q;
  tessera_isa_pkg::cv_kernel_t kernel_q;
  tessera_isa_pkg::cv_tile_t tile_q;
  tessera_isa_pkg::cv_weights_t weights_q;
  tessera_isa_pkg::cv_window_t window_q;
  tessera_isa_pkg::cv_ring_t ring_q;
  tessera_isa_pkg::conv_t conv;
  tessera_isa_pkg::depthwise_t depthwise;
  logic [5:0] opcode;
  logic input_set_q, kernel_set_q, tile_set_q, weights_set_q, window_set_q, tile_described_q, configured;
  logic input_set, kernel_set, tile_set, weights_set;
  logic is_depthwise, window_error, is_conv, is_mark, tokens_ready, jobs_full, weights_full, push_conv, kernel_count_error;

  assign opcode = cmd_i.word[63:58];
  assign conv = cmd_i.word;
  // DEPTHWISE has the fields of CONV and some more above them.
  assign depthwise = cmd_i.word;
  assign is_depthwise = HasDepthwise && cmd_i.works && cmd_i.other;
  assign is_conv = cmd_i.valid && cmd_i.works;
  assign is_mark = cmd_i.valid && !cmd_i.works && cmd_i.other;
  assign tokens_ready = (!conv.wait_load || tokens_i.load_to_compute) && (!conv.wait_store || tokens_i.store_to_compute);
  assign kernel_count_error = is_conv && configured && weights_q.last_kernels > 7'(AtomicK);
  assign configured = tile_described_q && (window_set_q || !is_depthwise);
  assign window_error = is_conv && configured && is_depthwise &&
      (window_q.window_h > 4'(WindowRows) || window_q.window_w > 4'(WindowCols));
  localparam int unsigned Unit = compute_pkg::common_divisor(AtomicC, AtomicK);
  logic piece_error;
  assign piece_error = is_conv && configured && is_depthwise &&
      (7'(depthwise.first_byte) >= 7'(AtomicC) || 7'(depthwise.first_byte) % 7'(Unit) != 7'd0);
  assign push_conv = is_conv && configured && tokens_ready && !jobs_full && !weights_full && !halt_q;
  assign cmd_ready_o = !halt_q && (is_conv ? push_conv : !(is_mark && jobs_full));
  always_comb begin
    take_o = '0;
    take_o.load_to_compute = push_conv && conv.wait_load;
    take_o.store_to_compute = push_conv && conv.wait_store;
  end

  always_ff @(posedge clk_i) begin
    if (cmd_i.valid && cmd_ready_o) begin
      unique case (opcode)
        tessera_isa_pkg::OpCvInput: input_q <= cmd_i.word;
        tessera_isa_pkg::OpCvKernel: kernel_q <= cmd_i.word;
        tessera_isa_pkg::OpCvTile: tile_q <= cmd_i.word;
        tessera_isa_pkg::OpCvWeights: weights_q <= cmd_i.word;
        tessera_isa_pkg::OpCvWindow: window_q <= cmd_i.word;
        default: ;
      endcase
    end
  end

  // A word that waits at the head is taken before any convolution is: that it has come is known without waiting for that.
  assign input_set = input_set_q || (cmd_i.valid && opcode == tessera_isa_pkg::OpCvInput);
  assign kernel_set = kernel_set_q || (cmd_i.valid && opcode == tessera_isa_pkg::OpCvKernel);
  assign tile_set = tile_set_q || (cmd_i.valid && opcode == tessera_isa_pkg::OpCvTile);
  assign weights_set = weights_set_q || (cmd_i.valid && opcode == tessera_isa_pkg::OpCvWeights);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      input_set_q <= 1'b0;
      kernel_set_q <= 1'b0;
      tile_set_q <= 1'b0;
      weights_set_q <= 1'b0;
      window_set_q <= 1'b0;
      tile_described_q <= 1'b0;
    end else begin
      input_set_q <= input_set;
      kernel_set_q <= kernel_set;
      tile_set_q <= tile_set;
      weights_set_q <= weights_set;
      if (cmd_i.valid && opcode == tessera_isa_pkg::OpCvWindow) window_set_q <= 1'b1;
      tile_described_q <= input_set && kernel_set && tile_set && weights_set;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) ring_q <= '0;
    else if (cmd_i.valid && cmd_ready_o && opcode == tessera_isa_pkg::OpCvRing) ring_q <= cmd_i.word;
  end

  logic spaced;
  logic [3:0] window_h, window_w;
  assign spaced = is_depthwise && window_q.spaced;
  logic [8:0] tile_move_y, tile_move_x;
  assign window_h = is_depthwise ? window_q.window_h : 4'd1;
  assign window_w = is_depthwise ? window_q.window_w : 4'd1;
  localparam int unsigned HeightBits = $clog2(WindowRows + 1);
  localparam int unsigned WidthBits = $clog2(WindowCols + 1);
  scaled_word #(
      .Width(9),
      .FactorBits(HeightBits)
  ) u_tile_move_y (
      .word_i  (9'(kernel_q.dilation_y)),
      .factor_i(window_h[HeightBits-1:0]),
      .scaled_o(tile_move_y)
  );
  scaled_word #(
      .Width(9),
      .FactorBits(WidthBits)
  ) u_tile_move_x (
      .word_i  (9'(kernel_q.dilation_x)),
      .factor_i(window_w[WidthBits-1:0]),
      .scaled_o(tile_move_x)
  );

  logic [11:0] atoms;
  logic [4:0] tiles_y, tiles_x;
  assign atoms = is_depthwise ? 12'd1 : input_q.atoms;
  assign tiles_y = is_depthwise ? window_q.chunks_y : kernel_q.kernel_h;
  assign tiles_x = is_depthwise ? window_q.chunks_x : kernel_q.kernel_w;

  compute_pkg::job_t job_in, job;
  // Known with the tile's word.
  tessera_isa_pkg::cv_tile_t new_tile;
  logic [25:0] tile_pixels;
  assign new_tile = cmd_i.word;
  registered_product #(
      .FirstBits (13),
      .SecondBits(13),
      .Holds     (1'b1)
  ) u_tile_pixels (
      .clk_i,
      .enable_i (cmd_i.valid && cmd_ready_o && opcode == tessera_isa_pkg::OpCvTile),
      .first_i  ({1'b0, new_tile.rows}),
      .second_i ({1'b0, new_tile.cols}),
      .product_o(tile_pixels)
  );

  always_comb begin
    job_in = '0;
    job_in.is_mark = is_mark;
    job_in.mark_id = cmd_i.word[15:0];
    job_in.rows = input_q.rows;
    job_in.cols = input_q.cols;
    job_in.atoms = atoms;
    job_in.zero_point = input_q.zero_point;
    job_in.centred = HasCentred && !is_depthwise && input_q.centred;
    job_in.depthwise = is_depthwise;
    job_in.resume = is_depthwise && depthwise.resume;
    job_in.maximum = is_depthwise && depthwise.maximum;
    job_in.tiles_y = tiles_y;
    job_in.tiles_x = tiles_x;
    job_in.window_h = window_h;
    job_in.window_w = window_w;
    // A window of one row has an output in each row that it visits.
    job_in.move_y = (window_h == 4'd1 || spaced) ? kernel_q.stride_y : 4'd1;
    job_in.move_x = (window_w == 4'd1 || spaced) ? kernel_q.stride_x : 4'd1;
    job_in.skip_y = (window_h == 4'd1 || spaced) ? 4'd0 : kernel_q.stride_y - 4'd1;
    job_in.skip_x = (window_w == 4'd1 || spaced) ? 4'd0 : kernel_q.stride_x - 4'd1;
    job_in.tile_move_y = tile_move_y;
    job_in.tile_move_x = tile_move_x;
    job_in.y0 = tile_q.y0;
    job_in.x0 = tile_q.x0;
    job_in.tile_rows = tile_q.rows;
    job_in.tile_cols = tile_q.cols;
    job_in.groups = weights_q.groups;
    job_in.last_kernels = weights_q.last_kernels;
    job_in.first_byte = is_depthwise ? depthwise.first_byte : '0;
    // Beyond 4096 words no accumulator exists; saturating keeps the range check honest.
    job_in.pixels = (tile_pixels > 26'd4096) ? 13'd4096 : tile_pixels[12:0];
    job_in.origin = conv.origin;
    job_in.row_pitch = kernel_q.row_pitch;
    job_in.col_pitch = input_q.atoms;
    job_in.ring_row = ring_q.row;
    job_in.ring_atoms = ring_q.atoms;
    job_in.acc_base = conv.acc_base;
    job_in.accumulate = conv.accumulate;
    job_in.post_load = conv.post_load;
    job_in.post_store = conv.post_store;
  end

  // Small arrays take so long for a convolution that one behind it is as good as two.
  localparam int unsigned JobsAhead = (AtomicC * AtomicK < 128) ? 1 : 2;
  logic jobs_empty, job_take;
  sync_fifo #(
      .Width(compute_pkg::JobBits),
      .Depth(JobsAhead)
  ) u_jobs (
      .clk_i,
      .rst_ni,
      .push_i (push_conv || (is_mark && cmd_ready_o)),
      .data_i (job_in),
      .full_o (jobs_full),
      .pop_i  (job_take),
      .data_o (job),
      .empty_o(jobs_empty)
  );

  // Weights -------------------------------------------------------------------------------------

  logic [AtomicK-1:0][AtomicC*9-1:0] tile;
  logic tile_valid, swap, claim, loader_idle;

  weight_loader #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .JobsAhead(JobsAhead)
  ) u_weight_loader (
      .clk_i,
      .rst_ni,
      .halt_i(halt_q),
      .push_i(push_conv),
      .full_o(weights_full),
      .address_i(weights_q.address),
      .groups_i(weights_q.groups),
      .tiles_y_i(tiles_y),
      .tiles_x_i(tiles_x),
      .atoms_i(atoms),
      .last_kernels_i(weights_q.last_kernels),
      .zero_point_i(HasZeroPoints ? weights_q.zero_point : 8'sd0),
      .depthwise_i(is_depthwise),
      .first_byte_i(depthwise.first_byte),
      .re_o(weight_re_o),
      .raddr_o(weight_addr_o),
      .rdata_i(weight_data_i),
      .tile_o(tile),
      .tile_valid_o(tile_valid),
      .claim_i(claim),
      .idle_o(loader_idle)
  );

  logic weight_range_error;
  assign weight_range_error = weight_re_o && !halt_q && 21'(weight_addr_o) >= cbuf_limit_i;

  // Steps ---------------------------------------------------------------------------------------

  logic sequencer_idle, cbuf_error, line_error, acc_error;
  logic [12:0] acc_error_word;
  logic stall_weights, stall_bank;
  unit_pkg::mark_t mark;
  compute_pkg::step_t step, step1_q, step2_q, step3_q, step4_q, step5_q, step6_q;
  logic step_valid, valid1_q, valid2_q, valid3_q, valid4_q, valid5_q, valid6_q;

  conv_sequencer #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .AccWords (AccWords),
      .WindowRows(WindowRows),
      .WindowCols(WindowCols),
      .LineAtoms(LineAtoms),
      .LogicSteps(LutMultipliers > AtomicC * AtomicK ? LutMultipliers - AtomicC * AtomicK : 0)
  ) u_sequencer (
      .clk_i,
      .rst_ni,
      .halt_i(halt_q),
      .job_valid_i(!jobs_empty),
      .job_i(job),
      .job_take_o(job_take),
      .tile_ready_i(tile_valid),
      .claim_o(claim),
      .read_addr_o(feature_addr_o),
      .read_refused_i(feature_refused_i),
      .cbuf_limit_i,
      .step_valid_o(step_valid),
      .step_o(step),
      .mark_o(mark),
      .idle_o(sequencer_idle),
      .stall_weights_o(stall_weights),
      .stall_bank_o(stall_bank),
      .cbuf_error_o(cbuf_error),
      .line_error_o(line_error),
      .acc_error_o(acc_error),
      .acc_error_word_o(acc_error_word)
  );

  logic [AtomicC*8-1:0] feature;
  assign feature = step2_q.padding ? {AtomicC{step2_q.zero_point}} : feature_data_i;
  assign swap = valid2_q && step2_q.first;

  // Features less their zero point have a ninth bit, beside the window: it holds bytes.
  logic [AtomicC*8-1:0] array_feature;
  logic [AtomicC-1:0] feature_sign;
  if (HasCentred) begin : gen_centred
    logic signed [7:0] subtrahend;
    assign subtrahend = step2_q.centred ? step2_q.zero_point : 8'sd0;
    for (genvar c = 0; c < AtomicC; c++) begin : gen_bytes
      logic signed [8:0] difference;
      assign difference = 9'($signed(feature[c*8+:8])) - 9'(subtrahend);
      assign array_feature[c*8+:8] = difference[7:0];
      assign feature_sign[c] = difference[8];
    end
  end else begin : gen_plain
    assign array_feature = feature;
    assign feature_sign  = '0;
    logic unused_centred;
    assign unused_centred = step2_q.centred;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      valid3_q <= 1'b0;
      valid4_q <= 1'b0;
      valid5_q <= 1'b0;
      valid6_q <= 1'b0;
    end else begin
      valid1_q <= step_valid;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
      valid4_q <= valid3_q;
      valid5_q <= valid4_q;
      valid6_q <= valid5_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_valid) step1_q <= step;
    if (valid1_q) step2_q <= step1_q;
    if (valid2_q) step3_q <= step2_q;
    if (valid3_q) step4_q <= step3_q;
    if (valid4_q) step5_q <= step4_q;
    if (valid5_q) step6_q <= step5_q;
  end

  logic [AtomicK-1:0][AtomicC*8-1:0] window;
  if (HasDepthwise) begin : gen_window
    depthwise_window #(
        .AtomicC  (AtomicC),
        .AtomicK  (AtomicK),
        .Rows     (WindowRows),
        .Cols     (WindowCols),
        .LineAtoms(LineAtoms)
    ) u_window (
        .clk_i,
        .fetch_i(valid1_q && step1_q.depthwise),
        .fetch_line_i(step1_q.line),
        .push_i(valid2_q && step2_q.depthwise),
        .atom_i(array_feature),
        .rotate_i(step2_q.rotate),
        .plain_i(valid2_q && !step2_q.depthwise),
        .window_o(window)
    );
  end else begin : gen_no_window
    logic [AtomicC*8-1:0] feature_q;
    always_ff @(posedge clk_i) if (valid2_q) feature_q <= array_feature;
    assign window = {AtomicK{feature_q}};
    logic unused;
    assign unused = ^{step1_q.line, step2_q.rotate};
  end

  // The window's bytes have their sign in them.
  logic [AtomicK-1:0][AtomicC-1:0] signs;
  if (HasCentred) begin : gen_signs
    logic [AtomicC-1:0] sign_q;
    logic plain_q;
    always_ff @(posedge clk_i) begin
      if (valid2_q) begin
        sign_q  <= feature_sign;
        plain_q <= !step2_q.depthwise;
      end
    end
    for (genvar k = 0; k < AtomicK; k++) begin : gen_kernels
      for (genvar c = 0; c < AtomicC; c++) begin : gen_bytes
        assign signs[k][c] = plain_q ? sign_q[c] : window[k][c*8+7];
      end
    end
  end else begin : gen_no_signs
    assign signs = '0;
    logic unused_signs;
    assign unused_signs = ^feature_sign;
  end

  logic multiply, multiplied_q;
  assign multiply = valid3_q && step3_q.emit;
  always_ff @(posedge clk_i) multiplied_q <= rst_ni && multiply;

  logic [AtomicK-1:0][SumBits-1:0] sums;
  mac_array #(
      .AtomicC(AtomicC),
      .AtomicK(AtomicK),
      .Taps(HasDepthwise ? WindowRows * WindowCols : 1),
      .LutMultipliers(LutMultipliers),
      .Signs(HasCentred)
  ) u_array (
      .clk_i,
      .swap_i(swap),
      .tile_i(tile),
      .valid_i(multiply),
      .features_i(window),
      .signs_i(signs),
      .maximum_i(step3_q.maximum),
      .sums_o(sums)
  );

  accumulator #(
      .AtomicK(AtomicK),
      .Words  (AccWords),
      .SumBits(SumBits),
      .Pieces (AtomicC != AtomicK)
  ) u_accumulator (
      .clk_i,
      .rst_ni,
      .fetch_i(multiplied_q),
      .fetch_addr_i(step4_q.acc_addr),
      .fetch_zero_i(step4_q.acc_zero),
      .fetch_maximum_i(step4_q.maximum),
      .fetch_lane_i(step4_q.lane),
      .fetch_lane_end_i(step4_q.lane_end),
      .sums_i(sums),
      .drain_addr_i,
      .drain_wait_o,
      .drain_data_o
  );

  always_comb begin
    post_o = '0;
    post_o.compute_to_load = valid6_q && step6_q.post_load;
    post_o.compute_to_store = valid6_q && step6_q.post_store;
  end

  // Status --------------------------------------------------------------------------------------

  logic quiet;
  assign quiet = sequencer_idle && loader_idle && !valid1_q && !valid2_q && !valid3_q && !valid4_q && !valid5_q &&
      !valid6_q;
  logic wait_load, wait_store;
  assign wait_load = sequencer_idle && is_conv && conv.wait_load && !tokens_i.load_to_compute;
  assign wait_store = sequencer_idle && is_conv && !wait_load && conv.wait_store &&
      !tokens_i.store_to_compute;
  assign activity_o = {step_valid, stall_weights, stall_bank, wait_load, wait_store};

  // What is wrong with a step or a weight's address is said a cycle late, and before what is found in that cycle.
  logic line_error_q, cbuf_error_q, weight_range_error_q, acc_error_q, step_error;
  // Zeros where something else is said.
  logic [19:0] error_feature_q, error_weight_q;
  logic [12:0] error_word_q;
  always_ff @(posedge clk_i) begin
    {line_error_q, cbuf_error_q, weight_range_error_q, acc_error_q} <=
        {4{rst_ni}} & {line_error, cbuf_error, weight_range_error, acc_error};
    error_feature_q <= (cbuf_error && !line_error) ? feature_addr_o : '0;
    error_weight_q <= (weight_range_error && !line_error && !cbuf_error) ? weight_addr_o : '0;
    error_word_q <= (acc_error && !line_error && !cbuf_error && !weight_range_error) ? acc_error_word : '0;
  end
  assign step_error = line_error_q || cbuf_error_q || weight_range_error_q || acc_error_q;

  unit_pkg::error_t error;
  assign status_o.idle = quiet && !cmd_i.valid && !step_error;
  assign status_o.waiting = quiet && is_conv && !tokens_ready;
  assign status_o.mark = mark;
  assign status_o.error = error;

  // What is said without an error means nothing.
  logic not_configured;
  logic [9:0] detail;
  assign not_configured = is_conv && !configured && !halt_q;
  assign error.valid = step_error || not_configured || kernel_count_error || window_error || piece_error;
  always_comb begin
    if (line_error_q) begin
      error.cause = tessera_isa_pkg::ErrorWindowRange;
      detail = 10'd256;
    end else if (cbuf_error_q || weight_range_error_q) begin
      error.cause = tessera_isa_pkg::ErrorCbufRange;
      detail = '0;
    end else if (acc_error_q) begin
      error.cause = tessera_isa_pkg::ErrorAccRange;
      detail = '0;
    end else if (not_configured) begin
      error.cause = tessera_isa_pkg::ErrorNotConfigured;
      detail = 10'd1;
    end else if (kernel_count_error) begin
      error.cause = tessera_isa_pkg::ErrorKernelCount;
      detail = 10'(weights_q.last_kernels);
    end else begin
      error.cause = tessera_isa_pkg::ErrorWindowRange;
      detail = window_error ? {2'd0, window_q.window_w, window_q.window_h} : 10'd512;
    end
    error.info = 32'(error_feature_q) | 32'(error_weight_q) | 32'(error_word_q) | 32'(detail);
  end

endmodule
