/// Starts and ends runs and keeps the first error.
module run_control (
    input  logic        clk_i,
    /// Synchronous reset, active low.
    input  logic        rst_ni,
    input  logic        start_i,
    input  logic        clear_i,
    input  logic [31:0] command_address_i,
    input  logic [31:0] command_bytes_i,
    /// END was reached and every unit is idle.
    input  logic        finished_i,
    /// Transactions under way on the bus.
    input  logic        outstanding_i,
    /// Errors, the lowest bit wins, with cause and information each.
    input  logic [ 7:0] errors_i,
    input  logic [ 7:0][ 7:0] causes_i,
    input  logic [ 7:0][31:0] infos_i,
    /// Resets the units for a cycle before the stream is read.
    output logic        unit_rst_no,
    output logic        fetch_start_o,
    output logic        running_o,
    /// Nothing new may start; what is on the bus is brought to its end.
    output logic        halt_o,
    output logic        busy_o,
    output logic        done_o,
    output logic        error_o,
    output logic [ 7:0] error_cause_o,
    output logic [31:0] error_info_o
);

  logic unit_rst_q, fetch_start_q, running_q, done_q, error_q;
  logic [7:0] cause_q;
  logic [31:0] info_q;

  logic bad_address, bad_length;
  assign bad_address = command_address_i[2:0] != 3'd0;
  assign bad_length = command_bytes_i[2:0] != 3'd0 || command_bytes_i == '0;

  logic [7:0] cause;
  logic [31:0] info;
  always_comb begin
    cause = '0;
    info = '0;
    for (int i = 7; i >= 0; i--) begin
      if (errors_i[i]) begin
        cause = causes_i[i];
        info = infos_i[i];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      unit_rst_q <= 1'b1;
      fetch_start_q <= 1'b0;
      running_q <= 1'b0;
      done_q <= 1'b0;
      error_q <= 1'b0;
      cause_q <= '0;
      info_q <= '0;
    end else begin
      unit_rst_q <= 1'b0;
      fetch_start_q <= 1'b0;
      if (clear_i) begin
        done_q <= 1'b0;
        error_q <= 1'b0;
        cause_q <= '0;
        info_q <= '0;
        unit_rst_q <= 1'b1;
      end
      if (start_i && !busy_o) begin
        done_q <= 1'b0;
        if (!error_q || clear_i) begin
          if (bad_address || bad_length) begin
            error_q <= 1'b1;
            cause_q <= tessera_isa_pkg::ErrorBadStart;
            info_q <= bad_address ? command_address_i : command_bytes_i;
          end else begin
            running_q <= 1'b1;
            unit_rst_q <= 1'b1;
            fetch_start_q <= 1'b1;
          end
        end
      end else if (running_q && !unit_rst_q && !fetch_start_q) begin
        if (|errors_i && !error_q) begin
          error_q <= 1'b1;
          cause_q <= cause;
          info_q <= info;
        end
        if (error_q ? !outstanding_i : finished_i && !(|errors_i)) begin
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
  assign error_o = error_q;
  assign error_cause_o = cause_q;
  assign error_info_o = info_q;

endmodule
