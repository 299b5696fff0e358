/// The microcontroller: fetches, decodes and executes an instruction of the microcode per cycle, with one accumulator of 32 bits and a
/// memory of words. docs/reference/microcode.md says what the instructions do.
module micro_core #(
    /// Words of the data memory: the named ones, behind them the parameters.
    parameter int unsigned DataWords = 512
) (
    input  logic clk_i,
    /// Synchronous reset, active low: the next instruction is the first one.
    input  logic rst_ni,
    /// Executes from the cycle after on.
    input  logic start_i,
    /// Stops after an error of something else.
    input  logic halt_i,
    /// The accumulator to a port, in the cycle in which it is ready for it.
    output logic        out_o,
    output logic [ 5:0] port_o,
    output logic [31:0] data_o,
    input  logic        out_ready_i,
    /// What `port_o` reads, in the same cycle, and that it was read in the cycle before.
    output logic        in_o,
    input  logic [31:0] in_i,
    /// Conditions to wait for.
    input  logic [microcode_pkg::NumWaits-1:0] waits_i,
    /// What ABS made positive was not.
    output logic        sign_o,
    /// The condition of JE.
    input  logic        ended_i,
    /// The command word's highest bit; `shift_o` takes it.
    input  logic        bit_i,
    output logic        shift_o,
    /// An instruction has come to its end.
    output logic        moved_o,
    output logic        done_o,
    /// The accumulator is what the error says beside its cause.
    output logic        error_o,
    output logic [ 7:0] cause_o
);

  localparam int unsigned PcBits = $clog2(microcode_pkg::RomWords);
  localparam int unsigned AddrBits = $clog2(DataWords);

  // Not the registers of multipliers, which are far away.
  (* keep *) logic [31:0] a_q;
  logic [PcBits-1:0] pc_q, link_q, outer_link_q;
  logic running_q, decoded_q, valid_q, carry_q, sign_q, negated_q;
  logic [AddrBits-1:0] pointer_q, written_q;
  logic [4:0] left_q, right_q;
  logic [11:0] m_q;
  logic [5:0] step_q;
  logic [15:0] fetched, word_q;
  logic [4:0] op;
  logic [10:0] operand;
  assign op = word_q[15:11];
  assign operand = word_q[10:0];

  // Three stages: fetch, decode with the read of the data memory, execute.
  logic advance, taken, executes, last;
  logic [PcBits-1:0] target, fetch_pc;
  assign executes = valid_q && !halt_i;
  assign advance = !valid_q || (last && !halt_i);
  always_comb begin
    unique case (op)
      microcode_pkg::OpRet: target = link_q;
      microcode_pkg::OpDispatch: target = PcBits'(a_q[5:0]);
      default: target = operand[PcBits-1:0];
    endcase
  end
  assign fetch_pc = taken ? target : pc_q;

  micro_rom u_rom (
      .clk_i,
      .re_i(advance),
      .addr_i(fetch_pc),
      .word_o(fetched)
  );

  logic by_pointer;
  logic [AddrBits-1:0] read_addr;
  logic [31:0] data;
  assign by_pointer = fetched[microcode_pkg::PointerBit];
  assign read_addr = by_pointer ? pointer_q : AddrBits'(fetched[6:0]);
  ram_1r1w #(
      .Width(32),
      .Depth(DataWords)
  ) u_data (
      .clk_i,
      .we_i(executes && op == microcode_pkg::OpSt),
      .waddr_i(operand[microcode_pkg::PointerBit] ? written_q : AddrBits'(operand[6:0])),
      .wdata_i(a_q),
      .re_i(advance),
      .raddr_i(read_addr),
      .rdata_o(data)
  );

  // Products.
  logic [31:0] product, factor;
  logic round, factor_done;
  micro_multiplier u_multiplier (
      .clk_i,
      .step_i(step_q[2:0]),
      .a_i(a_q),
      .b_i(data),
      .down_i(sign_q),
      .product_o(product),
      .factor_o(factor),
      .round_o(round),
      .done_o(factor_done)
  );

  // To the left is to the right with the bits turned around; the last bit shifted out is the carry.
  function automatic logic [31:0] turned(input logic [31:0] word);
    for (int unsigned i = 0; i < 32; i++) turned[i] = word[31-i];
  endfunction
  logic to_left;
  logic [32:0] shifted;
  assign to_left = op == microcode_pkg::OpShl;
  assign shifted = {to_left ? turned(a_q) : a_q, 1'b0} >> (to_left ? left_q : right_q);

  // One adder: {0, A, not A} + {data, immediate, port, A, product} + carry.
  logic x_none, x_not, c_in;
  logic [31:0] y, immediate, in_q;
  logic [32:0] sum;
  logic a_write;
  logic is_zero, below_q;
  assign is_zero = a_q == '0;
  assign immediate = {{21{operand[10]}}, operand};

  always_comb begin
    x_none = 1'b0;
    x_not = 1'b0;
    c_in = 1'b0;
    y = data;
    a_write = 1'b0;
    last = 1'b1;
    taken = 1'b0;
    shift_o = 1'b0;
    unique case (op)
      microcode_pkg::OpLdi: begin
        x_none = 1'b1;
        y = immediate;
        a_write = 1'b1;
      end
      microcode_pkg::OpAddi, microcode_pkg::OpAddci: begin
        y = immediate;
        c_in = op == microcode_pkg::OpAddci && carry_q;
        a_write = 1'b1;
      end
      microcode_pkg::OpLd: begin
        x_none  = 1'b1;
        a_write = 1'b1;
      end
      microcode_pkg::OpAdd: a_write = 1'b1;
      microcode_pkg::OpRsb: begin
        x_not = 1'b1;
        c_in = 1'b1;
        a_write = 1'b1;
      end
      // The difference says which, a cycle later.
      microcode_pkg::OpMin, microcode_pkg::OpMax: begin
        x_not = 1'b1;
        c_in = 1'b1;
        a_write = step_q != '0 && below_q == (op == microcode_pkg::OpMin);
        last = step_q != '0;
      end
      microcode_pkg::OpMul: begin
        x_none = 1'b1;
        y = factor;
        c_in = round;
        a_write = factor_done;
        last = factor_done;
      end
      microcode_pkg::OpMuli: begin
        x_none = 1'b1;
        y = product;
        a_write = step_q != '0;
        last = step_q != '0;
      end
      microcode_pkg::OpShr, microcode_pkg::OpShl: a_write = 1'b1;
      // What the sign is taken from, and what gets it back; 2^31 without a sign becomes 2^31 - 1.
      microcode_pkg::OpAbs: begin
        x_not = a_q[31];
        c_in = a_q[31];
        y = '0;
        a_write = 1'b1;
      end
      microcode_pkg::OpSgn: begin
        x_not = sign_q || a_q[31];
        c_in = sign_q;
        y = '0;
        a_write = 1'b1;
      end
      microcode_pkg::OpExt, microcode_pkg::OpExts: begin
        x_none = step_q == '0;
        y = (step_q != '0) ? a_q : (op == microcode_pkg::OpExts && bit_i) ? '1 : '0;
        c_in = step_q != '0 && bit_i;
        shift_o = executes && step_q != '0;
        a_write = 1'b1;
        last = step_q == operand[5:0];
      end
      microcode_pkg::OpIn: begin
        x_none = 1'b1;
        y = in_q;
        a_write = step_q != '0;
        last = step_q != '0;
      end
      microcode_pkg::OpOut: last = out_ready_i;
      microcode_pkg::OpWait: last = waits_i[operand[$clog2(microcode_pkg::NumWaits)-1:0]];
      microcode_pkg::OpJmp, microcode_pkg::OpCall, microcode_pkg::OpRet, microcode_pkg::OpDispatch: taken = executes;
      microcode_pkg::OpJz: taken = executes && is_zero;
      microcode_pkg::OpJnz: taken = executes && !is_zero;
      microcode_pkg::OpJn: taken = executes && a_q[31];
      microcode_pkg::OpJge: taken = executes && !a_q[31];
      microcode_pkg::OpJe: taken = executes && ended_i;
      microcode_pkg::OpDjm: taken = executes && m_q != 12'd1;
      default: ;
    endcase
  end
  logic [32:0] x;
  assign x = x_none ? '0 : x_not ? ~{a_q[31], a_q} : {a_q[31], a_q};
  assign sum = x + {y[31], y} + 33'(c_in);

  assign sign_o = sign_q;
  assign moved_o = executes && last;
  assign out_o = executes && op == microcode_pkg::OpOut;
  assign in_o = executes && op == microcode_pkg::OpIn && step_q != '0;
  assign port_o = operand[5:0];
  assign data_o = a_q;
  assign done_o = executes && op == microcode_pkg::OpHalt;
  assign error_o = executes && op == microcode_pkg::OpErr;
  assign cause_o = operand[7:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      decoded_q <= 1'b0;
      valid_q <= 1'b0;
      pc_q <= PcBits'(microcode_pkg::Start);
      step_q <= '0;
    end else begin
      if (start_i) running_q <= 1'b1;
      if (advance) begin
        if (running_q) pc_q <= fetch_pc + 1'b1;
        decoded_q <= running_q;
        valid_q <= decoded_q && !taken;
        step_q <= '0;
      end else if (executes) begin
        step_q <= step_q + 1'b1;
      end
      if (done_o || error_o) begin
        running_q <= 1'b0;
        decoded_q <= 1'b0;
        valid_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) word_q <= fetched;
    in_q <= in_i;
    below_q <= sum[32];
    if (executes && a_write) begin
      unique case (op)
        microcode_pkg::OpShr: a_q <= shifted[32:1];
        microcode_pkg::OpShl: a_q <= turned(shifted[32:1]);
        microcode_pkg::OpMin, microcode_pkg::OpMax: a_q <= data;
        default: a_q <= sum[31:0];
      endcase
    end
    if (executes && op == microcode_pkg::OpCall) begin
      link_q <= pc_q - 1'b1;
      outer_link_q <= link_q;
    end else if (executes && op == microcode_pkg::OpRet) begin
      link_q <= outer_link_q;
    end
    if (executes && op == microcode_pkg::OpShr) carry_q <= shifted[0];
    if (executes && op == microcode_pkg::OpAbs) sign_q <= a_q[31] != negated_q;
    if (out_o && port_o == microcode_pkg::PortSetn) begin
      left_q <= a_q[7] ? '0 : a_q[4:0];
      right_q <= a_q[7] ? -a_q[4:0] : '0;
      negated_q <= a_q[8] != a_q[7];
    end
    if (out_o && port_o == microcode_pkg::PortSetm) m_q <= a_q[11:0];
    else if (executes && op == microcode_pkg::OpDjm) m_q <= m_q - 1'b1;
    if (out_o && port_o == microcode_pkg::PortSetp) pointer_q <= a_q[AddrBits-1:0];
    else if (advance && decoded_q && !taken && by_pointer && microcode_pkg::uses_data(fetched[15:11])) pointer_q <= pointer_q + 1'b1;
    if (advance) written_q <= pointer_q;
  end

endmodule
