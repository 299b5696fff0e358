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

  if (Depth == 2) begin : gen_two
    // Two registers are smaller than a memory with a pointer, and the head needs no read.
    logic [Width-1:0] head_q, next_q;
    logic head_valid_q, next_valid_q, push, pop;
    assign empty_o = !head_valid_q;
    assign full_o  = next_valid_q;
    assign data_o  = head_q;
    assign push    = push_i && !full_o;
    assign pop     = pop_i && !empty_o;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        head_valid_q <= 1'b0;
        next_valid_q <= 1'b0;
      end else begin
        head_valid_q <= push || (pop ? next_valid_q : head_valid_q);
        next_valid_q <= push ? head_valid_q && !pop : next_valid_q && !pop;
      end
    end

    always_ff @(posedge clk_i) begin
      if (pop || !head_valid_q) head_q <= next_valid_q ? next_q : data_i;
      if (push) next_q <= data_i;
    end
  end else begin : gen_memory
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
  end

endmodule
