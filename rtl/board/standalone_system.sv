/// A board that needs no host: a press of its button gives the network the next of the samples that
/// are on the chip, runs it from the ROM, and shows the class with the largest output.
/// Its lights are those of class_lights; all that show the class are lit while there is none.
module standalone_system #(
    /// At least 6.
    parameter int unsigned Leds = 8
) (
    input  logic            clk_i,
    /// Asynchronous, active low: the clock is not stable yet.
    input  logic            rst_ni,
    /// Asynchronous, high while pressed; may bounce for five milliseconds.
    input  logic            button_i,
    output logic [Leds-1:0] leds_o
);

  localparam int unsigned BusBytes = board_config_pkg::BusBytes;
  localparam int unsigned LaneBits = $clog2(BusBytes);
  localparam int unsigned Shown = Leds - 2;

  logic [3:0] stable_q = '0;
  logic rst_n;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stable_q <= '0;
    else stable_q <= {stable_q[2:0], 1'b1};
  end
  assign rst_n = stable_q[3];

  logic press;
  button #(
      .StillCycles(board_config_pkg::ClockHz / 200)
  ) u_button (
      .clk_i,
      .rst_ni (rst_n),
      .button_i,
      .press_o(press)
  );

  // The run ---------------------------------------------------------------------------------------

  typedef enum logic [2:0] {
    Idle,
    Copy,  // the sample to the arena
    Start,
    Run,
    Fetch,  // an output
    Compare,
    Failed
  } state_t;
  state_t state_q;
  /// Words of the sample; outputs.
  logic [31:0] index_q;
  logic [31:0] sample_q;
  logic [31:0] sample_word_q;  // of all samples one behind the other
  logic written_q;
  logic signed [7:0] largest_q;
  logic [Shown-1:0] best_q, class_q;
  logic [7:0] cause_q;

  logic busy, done, error;
  logic [15:0] runs_done;
  logic [7:0] cause;
  logic [31:0] info, host_address, byte_address;
  logic host_re;
  logic [BusBytes*8-1:0] host_read, sample;
  logic [BusBytes-1:0] host_we;

  logic last_word, last_class;
  assign last_word = index_q == standalone_pkg::SampleWords;
  assign last_class = index_q == standalone_pkg::Classes - 1;
  assign byte_address = standalone_pkg::OutputByte + index_q;

  logic signed [7:0] value;
  assign value = host_read[8*byte_address[LaneBits-1:0]+:8];

  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      state_q       <= Idle;
      sample_q      <= '0;
      sample_word_q <= '0;
      class_q       <= '1;
    end else begin
      unique case (state_q)
        Idle, Failed: begin
          index_q <= '0;
          if (press) state_q <= Copy;
        end
        Copy: begin
          // Word index_q is read while the one before is written.
          index_q <= index_q + 32'd1;
          if (last_word) begin
            index_q  <= '0;
            sample_q <= sample_q + 32'd1;
            if (sample_q == standalone_pkg::Samples - 1) begin
              sample_q <= '0;
              sample_word_q <= '0;
            end
            state_q <= Start;
          end else begin
            sample_word_q <= sample_word_q + 32'd1;
          end
        end
        Start: state_q <= Run;
        Run:
        if (error) begin
          cause_q <= cause;
          class_q <= '1;
          state_q <= Failed;
        end else if (!busy) begin
          state_q <= Fetch;
        end
        Fetch: state_q <= Compare;
        Compare: begin
          // The first of equal ones.
          if (index_q == 0 || value > largest_q) begin
            largest_q <= value;
            best_q <= Shown'(index_q);
          end
          if (last_class) begin
            class_q <= (index_q == 0 || value > largest_q) ? Shown'(index_q) : best_q;
            state_q <= Idle;
          end else begin
            index_q <= index_q + 32'd1;
            state_q <= Fetch;
          end
        end
        default: state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_n) written_q <= 1'b0;
    else written_q <= state_q == Copy && !last_word;
  end

  logic [31:0] copied_q;  // index of the word that is written
  always_ff @(posedge clk_i) copied_q <= index_q;

  standalone_samples u_samples (
      .clk_i,
      .re_i(state_q == Copy),
      .address_i(sample_word_q),
      .data_o(sample)
  );

  assign host_we = {BusBytes{written_q}};
  assign host_re = state_q == Fetch;
  assign host_address = written_q ? standalone_pkg::InputWord + copied_q : byte_address >> LaneBits;

  tessera_system u_system (
      .clk_i,
      .rst_ni(rst_n),
      .start_i(state_q == Start),
      .restart_i(1'b0),
      .busy_o(busy),
      .done_o(done),
      .runs_done_o(runs_done),
      .error_o(error),
      .error_cause_o(cause),
      .error_info_o(info),
      .host_re_i(host_re),
      .host_address_i(host_address),
      .host_data_o(host_read),
      .host_we_i(host_we),
      .host_data_i(sample)
  );

  class_lights #(
      .Leds(Leds),
      .BlinkCycles(board_config_pkg::ClockHz / 2)
  ) u_lights (
      .clk_i,
      .rst_ni  (rst_n),
      .runs_i  (state_q != Idle && state_q != Failed),
      .failed_i(state_q == Failed),
      .cause_i (cause_q),
      .class_i (class_q),
      .leds_o
  );

  logic unused;
  assign unused = ^{done, runs_done, info};

endmodule
