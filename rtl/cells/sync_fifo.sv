/// First-in first-out queue whose head is visible without a read (fall-through).
module sync_fifo #(
    /// Bits per entry.
    parameter int unsigned Width = 32,
    /// Entries, a power of two of at least 2.
    parameter int unsigned Depth = 4
) (
    input  logic             clk_i,
    /// Synchronous reset, active low: empties the queue.
    input  logic             rst_ni,
    /// Appends `data_i`; ignored while `full_o`.
    input  logic             push_i,
    input  logic [Width-1:0] data_i,
    output logic             full_o,
    /// Removes the head; ignored while `empty_o`.
    input  logic             pop_i,
    output logic [Width-1:0] data_o,
    output logic             empty_o
);

  localparam int unsigned PtrBits = $clog2(Depth);

  logic [Width-1:0] mem[Depth];
  logic [PtrBits:0] head_q, tail_q;

  assign empty_o = head_q == tail_q;
  assign full_o  = (tail_q - head_q) == (PtrBits + 1)'(Depth);
  assign data_o  = mem[head_q[PtrBits-1:0]];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
    end else begin
      if (push_i && !full_o) tail_q <= tail_q + 1'b1;
      if (pop_i && !empty_o) head_q <= head_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i && !full_o) mem[tail_q[PtrBits-1:0]] <= data_i;
  end

endmodule
