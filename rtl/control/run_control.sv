/// Starts and ends runs and keeps the first error.
module run_control (
    input  logic        clk_i,
    /// Synchronous reset, active low.
    input  logic        rst_ni,
    input  unit_pkg::run_t   run_i,
    input  logic             clear_i,
    /// END was reached and every unit is idle.
    input  logic        finished_i,
    /// Transactions under way on the bus.
    input  logic        outstanding_i,
    input  unit_pkg::error_t error_i,
    /// Resets the units for a cycle before the stream is read.
    output logic        unit_rst_no,
    output logic        fetch_start_o,
    output logic        running_o,
    /// Nothing new may start from a cycle later on; what is on the bus is brought to its end.
    output logic        halt_o,
    output logic        busy_o,
    output logic        done_o,
    /// The first error, until it is cleared.
    output unit_pkg::error_t error_o
);

  logic unit_rst_q, fetch_start_q, running_q, done_q, error_q, halted_q;
  logic [7:0] cause_q;
  logic [31:0] info_q;

  logic bad_address, bad_length;
  assign bad_address = run_i.address[2:0] != 3'd0;
  assign bad_length = run_i.bytes[2:0] != 3'd0 || run_i.bytes == '0;

  // What there is to say is kept until it is cleared.
  logic bad_start, fails;
  assign bad_start = run_i.start && !busy_o && (!error_q || clear_i) && (bad_address || bad_length);
  assign fails = running_q && !unit_rst_q && !fetch_start_q && error_i.valid && !error_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cause_q <= '0;
      info_q  <= '0;
    end else if (bad_start || fails) begin
      cause_q <= bad_start ? tessera_isa_pkg::ErrorBadStart : error_i.cause;
      info_q  <= bad_start ? (bad_address ? run_i.address : run_i.bytes) : error_i.info;
    end else if (clear_i) begin
      cause_q <= '0;
      info_q  <= '0;
    end
  end

  // Units halt a cycle late, and may request something in it.
  always_ff @(posedge clk_i) halted_q <= error_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      unit_rst_q <= 1'b1;
      fetch_start_q <= 1'b0;
      running_q <= 1'b0;
      done_q <= 1'b0;
      error_q <= 1'b0;
    end else begin
      unit_rst_q <= 1'b0;
      fetch_start_q <= 1'b0;
      if (clear_i) begin
        done_q <= 1'b0;
        error_q <= 1'b0;
        unit_rst_q <= 1'b1;
      end
      if (bad_start || fails) error_q <= 1'b1;
      if (run_i.start && !busy_o) begin
        done_q <= 1'b0;
        if ((!error_q || clear_i) && !bad_start) begin
          running_q <= 1'b1;
          unit_rst_q <= 1'b1;
          fetch_start_q <= 1'b1;
        end
      end else if (running_q && !unit_rst_q && !fetch_start_q) begin
        if (error_q ? halted_q && !outstanding_i : finished_i && !error_i.valid) begin
          running_q <= 1'b0;
          done_q <= !error_q;
        end
      end
    end
  end

  // The start pulse follows one cycle after the units' reset.
  logic fetch_start_qq;
  always_ff @(posedge clk_i) fetch_start_qq <= fetch_start_q && rst_ni;

  assign unit_rst_no = rst_ni && !unit_rst_q;
  assign fetch_start_o = fetch_start_qq;
  assign running_o = running_q;
  assign halt_o = error_q;
  assign busy_o = running_q;
  assign done_o = done_q;
  assign error_o = {error_q, cause_q, info_q};

endmodule
