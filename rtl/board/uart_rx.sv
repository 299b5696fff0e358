/// Bytes from a serial line: eight bits, no parity, one stop bit.
module uart_rx #(
    /// Clock cycles per bit, at least 4.
    parameter int unsigned Divider = 50
) (
    input  logic       clk_i,
    /// Synchronous reset, active low.
    input  logic       rst_ni,
    input  logic       line_i,
    /// For one cycle: a byte whose stop bit was there.
    output logic       valid_o,
    output logic [7:0] data_o
);

  localparam int unsigned Bits = $clog2(Divider + 1);

  // The line belongs to another clock.
  logic [2:0] line_q;
  logic [Bits-1:0] wait_q;
  logic [3:0] left_q;  // bits until the stop bit has been looked at
  logic [7:0] data_q;
  logic valid_q;

  always_ff @(posedge clk_i) begin
    line_q <= {line_q[1:0], line_i};
    valid_q <= 1'b0;
    if (!rst_ni) begin
      line_q <= '1;
      left_q <= '0;
    end else if (left_q == 4'd0) begin
      // Half a bit on: the middle of the start bit.
      wait_q <= Bits'(Divider / 2 - 1);
      if (line_q[2] && !line_q[1]) left_q <= 4'd10;
    end else if (wait_q != '0) begin
      wait_q <= wait_q - 1'b1;
    end else begin
      wait_q <= Bits'(Divider - 1);
      left_q <= left_q - 4'd1;
      if (left_q == 4'd10) begin
        // A spike is no start bit.
        if (line_q[1]) left_q <= '0;
      end else if (left_q == 4'd1) begin
        valid_q <= line_q[1];
      end else begin
        data_q <= {line_q[1], data_q[7:1]};
      end
    end
  end

  assign valid_o = valid_q;
  assign data_o  = data_q;

endmodule
