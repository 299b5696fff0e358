/// Bytes to a serial line: eight bits, no parity, one stop bit.
module uart_tx #(
    /// Clock cycles per bit, at least 4.
    parameter int unsigned Divider = 50
) (
    input  logic       clk_i,
    /// Synchronous reset, active low.
    input  logic       rst_ni,
    output logic       line_o,
    input  logic       valid_i,
    output logic       ready_o,
    input  logic [7:0] data_i
);

  localparam int unsigned Bits = $clog2(Divider + 1);

  logic [Bits-1:0] wait_q;
  logic [3:0] left_q;
  logic [8:0] shift_q;  // the lowest bit is on the line

  assign ready_o = left_q == 4'd0;
  assign line_o  = shift_q[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q  <= '0;
      shift_q <= '1;
    end else if (left_q == 4'd0) begin
      wait_q <= Bits'(Divider - 1);
      if (valid_i) begin
        left_q  <= 4'd10;
        shift_q <= {data_i, 1'b0};
      end
    end else if (wait_q != '0) begin
      wait_q <= wait_q - 1'b1;
    end else begin
      wait_q  <= Bits'(Divider - 1);
      left_q  <= left_q - 4'd1;
      shift_q <= {1'b1, shift_q[8:1]};
    end
  end

endmodule
