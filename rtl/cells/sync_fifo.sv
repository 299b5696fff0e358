/// First-in first-out queue whose head is visible without a read (fall-through).
module sync_fifo #(
    /// Bits per entry.
    parameter int unsigned Width = 32,
    /// Entries, a power of two. One is free again a cycle after it left.
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

  if (Depth == 1) begin : gen_one
    logic [Width-1:0] head_q;
    logic head_valid_q;
    assign empty_o = !head_valid_q;
    assign full_o  = head_valid_q;
    assign data_o  = head_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) head_valid_q <= 1'b0;
      else head_valid_q <= head_valid_q ? !pop_i : push_i;
      if (!head_valid_q) head_q <= data_i;
    end
  end else if (Depth == 2) begin : gen_two
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
  end else if (Depth >= 32) begin : gen_block
    // The head is a register, what follows it the output of a memory, or a register where it came when there was nothing to
    // read: no address waits for a pop. Nor does a write, which goes to a place that is not held. Of the two the one that has
    // nothing is zero.
    localparam int unsigned PtrBits = $clog2(Depth);

    (* no_rw_check *) logic [Width-1:0] mem[Depth];
    logic [Width-1:0] head_q, skipped_q, read_q;
    logic head_valid_q, next_valid_q, full_q;
    logic [PtrBits-1:0] first_q, free_q, held_q;  // in the memory: at most Depth - 2
    logic push, refill, next_leaves, read, to_next, keep;
    assign empty_o = !head_valid_q;
    assign full_o = full_q;
    assign data_o = head_q;
    assign push = push_i && !full_o;
    assign refill = pop_i || !head_valid_q;
    assign next_leaves = refill || !next_valid_q;
    assign read = next_leaves && held_q != '0;
    // What is pushed goes to the head, behind it, or to the memory.
    assign to_next = push && next_leaves && held_q == '0 && !(refill && !next_valid_q);
    assign keep = push && !(next_leaves && held_q == '0);

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        head_valid_q <= 1'b0;
        next_valid_q <= 1'b0;
        first_q <= '0;
        free_q <= '0;
        held_q <= '0;
        full_q <= 1'b0;
      end else begin
        if (refill) head_valid_q <= next_valid_q || push;
        if (next_leaves) next_valid_q <= read || to_next;
        if (read) first_q <= first_q + 1'b1;
        if (keep) free_q <= free_q + 1'b1;
        if (keep != read) begin
          held_q <= keep ? held_q + 1'b1 : held_q - 1'b1;
          full_q <= keep && held_q == PtrBits'(Depth - 3);
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (refill) head_q <= next_valid_q ? skipped_q | read_q : data_i;
      if (next_leaves) begin
        skipped_q <= to_next ? data_i : '0;
        read_q <= read ? mem[first_q] : '0;
      end
      if (push) mem[free_q] <= data_i;
    end
  end else begin : gen_memory
    // The head is a register: what follows it comes from the memory as it leaves. A write does not wait for that: it goes to
    // a place that is not held.
    localparam int unsigned PtrBits = $clog2(Depth);

    logic [Width-1:0] mem[Depth];
    logic [Width-1:0] head_q;
    logic head_valid_q;
    logic [PtrBits-1:0] first_q, free_q, held_q;  // in the memory: at most Depth - 1
    logic push, refill, none_held, keep, leave;
    assign empty_o = !head_valid_q;
    assign full_o = &held_q;
    assign data_o = head_q;
    assign push = push_i && !full_o;
    assign refill = pop_i || !head_valid_q;
    assign none_held = held_q == '0;
    assign keep = push && !(refill && none_held);
    assign leave = refill && !none_held;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        head_valid_q <= 1'b0;
        first_q <= '0;
        free_q <= '0;
        held_q <= '0;
      end else begin
        if (refill) head_valid_q <= push || !none_held;
        if (leave) first_q <= first_q + 1'b1;
        if (keep) free_q <= free_q + 1'b1;
        if (keep != leave) held_q <= keep ? held_q + 1'b1 : held_q - 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (refill) head_q <= none_held ? data_i : mem[first_q];
      if (push) mem[free_q] <= data_i;
    end
  end

endmodule
