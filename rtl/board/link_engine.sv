/// Does what the host's requests say, one at a time, and answers each: bytes of the memory, the
/// accelerator's registers, a reset. A request that is repeated because its answer was lost is done
/// once only, where twice would be something else.
module link_engine #(
    /// What the board says of itself.
    parameter int unsigned ClockHz = 50000000,
    /// A power of two.
    parameter int unsigned MemoryBytes = 1048576,
    /// What is read only, from 0100_0000h on: a power of two of at most 16 MiB, or 0.
    parameter int unsigned FlashBytes = 0
) (
    input  logic        clk_i,
    /// Synchronous reset, active low.
    input  logic        rst_ni,
    /// As link_decoder has them.
    input  logic        frame_i,
    output logic        release_o,
    input  logic        damaged_i,
    input  logic [ 7:0] sequence_i,
    input  logic [ 7:0] operation_i,
    input  logic [15:0] length_i,
    input  logic [31:0] address_i,
    input  link_pkg::count_t bytes_i,
    output logic [ 9:0] index_o,
    input  logic [ 7:0] byte_i,
    /// As link_encoder has them.
    output logic        valid_o,
    input  logic        ready_i,
    output logic [ 7:0] data_o,
    output logic        last_o,
    /// Memory, a byte at a time: taken when ready; a read's byte comes later.
    input  logic        memory_ready_i,
    output logic        mem_valid_o,
    output logic        mem_write_o,
    output logic [31:0] mem_address_o,
    output logic [ 7:0] mem_data_o,
    input  logic        mem_ready_i,
    input  logic        mem_valid_i,
    input  logic [ 7:0] mem_data_i,
    /// AXI4-Lite master.
    output logic        m_awvalid_o,
    input  logic        m_awready_i,
    output logic [11:0] m_awaddr_o,
    output logic        m_wvalid_o,
    input  logic        m_wready_i,
    output logic [31:0] m_wdata_o,
    input  logic        m_bvalid_i,
    output logic        m_bready_o,
    input  logic [ 1:0] m_bresp_i,
    output logic        m_arvalid_o,
    input  logic        m_arready_i,
    output logic [11:0] m_araddr_o,
    input  logic        m_rvalid_i,
    output logic        m_rready_o,
    input  logic [31:0] m_rdata_i,
    input  logic [ 1:0] m_rresp_i,
    /// For one cycle: everything but the link begins anew.
    output logic        reset_o
);

  typedef enum logic [3:0] {
    Idle,
    Check,
    Gather,     // a register's four bytes
    RegWrite,
    RegRead,
    MemFetch,   // a byte to be written is read from the frame
    MemWrite,
    Head,       // of the answer
    Value,      // a register, or what the board says of itself
    MemRead,
    MemByte,
    Finish
  } state_t;

  localparam int unsigned InfoBytes = 16;
  localparam logic [InfoBytes*8-1:0] InfoData = (128'(MemoryBytes) << 96) |
      (128'(ClockHz) << 64) | (128'(link_pkg::MostData) << 48) | (128'(link_pkg::Version) << 32) | 128'(link_pkg::Magic);

  state_t state_q;
  link_pkg::status_t status_q, last_status_q;
  link_pkg::count_t count_q, reply_q;  // bytes done; bytes of data in the answer
  logic [31:0] value_q;
  logic [7:0] last_sequence_q, read_q;
  logic known_q, gathered_q;  // last_sequence_q is of a request that was done
  logic aw_done_q, w_done_q, ar_done_q;

  logic writes, whole, repeated, outside, no_register;
  link_pkg::count_t length;  // of requests that are whole
  assign length = length_i[10:0];
  assign no_register = address_i[31:12] != '0;
  assign writes = operation_i == link_pkg::WriteRegister || operation_i == link_pkg::WriteMemory;
  assign repeated = known_q && sequence_i == last_sequence_q;
  // The address may be anything; the length is at most MostData.
  localparam int unsigned FlashBase = 32'h0100_0000;
  logic in_memory, in_flash;
  link_range #(
      .Bytes(MemoryBytes)
  ) u_memory_range (
      .address_i,
      .bytes_i (length),
      .inside_o(in_memory)
  );
  if (FlashBytes != 0) begin : gen_flash
    link_range #(
        .Base (FlashBase),
        .Bytes(FlashBytes)
    ) u_range (
        .address_i,
        .bytes_i (length),
        .inside_o(in_flash)
    );
  end else begin : gen_none
    assign in_flash = 1'b0;
  end
  assign outside = !in_memory && !(in_flash && operation_i == link_pkg::ReadMemory);

  always_comb begin
    whole = 16'(bytes_i) == (writes ? length_i : 16'd0);
    unique case (operation_i)
      link_pkg::Info: whole = whole && length_i == 16'(InfoBytes);
      link_pkg::ReadRegister, link_pkg::WriteRegister: whole = whole && length_i == 16'd4;
      link_pkg::ReadMemory, link_pkg::WriteMemory: whole = whole && length_i != '0 && length_i <= link_pkg::MostData;
      link_pkg::Reset: whole = whole && length_i == '0;
      default: whole = 1'b0;
    endcase
  end

  logic head_sent, more;
  assign head_sent = state_q == Head && ready_i && count_q == 11'd3;
  assign more = count_q + 11'd1 != reply_q;

  always_ff @(posedge clk_i) begin
    reset_o <= 1'b0;
    if (!rst_ni) begin
      state_q   <= Idle;
      known_q   <= 1'b0;
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
      ar_done_q <= 1'b0;
    end else begin
      unique case (state_q)
        Idle: begin
          count_q <= '0;
          gathered_q <= 1'b0;
          if (frame_i) state_q <= Check;
        end

        Check: begin
          status_q <= link_pkg::Done;
          reply_q  <= '0;
          state_q  <= Head;
          if (damaged_i) begin
            status_q <= link_pkg::Damaged;
          end else if (!whole) begin
            status_q <= link_pkg::BadRequest;
          end else begin
            unique case (operation_i)
              link_pkg::Info: reply_q <= 11'(InfoBytes);
              link_pkg::ReadRegister: begin
                if (no_register) begin
                  status_q <= link_pkg::BadAddress;
                end else begin
                  state_q <= RegRead;
                  reply_q <= 11'd4;
                end
              end
              link_pkg::WriteRegister: begin
                if (repeated) status_q <= last_status_q;
                else if (no_register) status_q <= link_pkg::BadAddress;
                else state_q <= Gather;
              end
              link_pkg::ReadMemory: begin
                if (outside) status_q <= link_pkg::BadAddress;
                else if (!memory_ready_i) status_q <= link_pkg::NotReady;
                else reply_q <= length;
              end
              link_pkg::WriteMemory: begin
                if (outside) status_q <= link_pkg::BadAddress;
                else if (!memory_ready_i) status_q <= link_pkg::NotReady;
                else state_q <= MemFetch;
              end
              default: reset_o <= !repeated;
            endcase
          end
        end

        Gather: begin
          gathered_q <= 1'b1;
          if (gathered_q) begin
            value_q <= {byte_i, value_q[31:8]};
            gathered_q <= 1'b0;
            count_q <= count_q + 11'd1;
            if (count_q == 11'd3) begin
              count_q <= '0;
              state_q <= RegWrite;
            end
          end
        end

        RegWrite: begin
          if (m_awready_i) aw_done_q <= 1'b1;
          if (m_wready_i) w_done_q <= 1'b1;
          if (m_bvalid_i) begin
            aw_done_q <= 1'b0;
            w_done_q  <= 1'b0;
            state_q   <= Head;
            if (m_bresp_i[1]) status_q <= link_pkg::BadAddress;
          end
        end

        RegRead: begin
          if (m_arready_i) ar_done_q <= 1'b1;
          if (m_rvalid_i) begin
            ar_done_q <= 1'b0;
            value_q   <= m_rdata_i;
            state_q   <= Head;
            if (m_rresp_i[1]) begin
              status_q <= link_pkg::BadAddress;
              reply_q  <= '0;
            end
          end
        end

        MemFetch: begin
          gathered_q <= 1'b1;
          if (gathered_q) begin
            gathered_q <= 1'b0;
            state_q <= MemWrite;
          end
        end

        MemWrite:
        if (mem_ready_i) begin
          count_q <= count_q + 11'd1;
          state_q <= MemFetch;
          if (count_q + 11'd1 == length) begin
            count_q <= '0;
            state_q <= Head;
          end
        end

        Head:
        if (ready_i) begin
          count_q <= count_q + 11'd1;
          if (head_sent) begin
            count_q <= '0;
            state_q <= (reply_q == '0) ? Finish : (operation_i == link_pkg::ReadMemory) ? MemRead : Value;
          end
        end

        Value:
        if (ready_i) begin
          count_q <= count_q + 11'd1;
          value_q <= value_q >> 8;
          if (!more) state_q <= Finish;
        end

        MemRead: if (mem_ready_i) state_q <= MemByte;

        MemByte: begin
          if (mem_valid_i) begin
            read_q <= mem_data_i;
            gathered_q <= 1'b1;
          end
          if (gathered_q && ready_i) begin
            gathered_q <= 1'b0;
            count_q <= count_q + 11'd1;
            state_q <= more ? MemRead : Finish;
          end
        end

        default: begin
          // The frame's header was needed up to here.
          if (status_q != link_pkg::Damaged) begin
            known_q <= 1'b1;
            last_sequence_q <= sequence_i;
            last_status_q <= status_q;
          end
          state_q <= Idle;
        end
      endcase
    end
  end

  assign release_o = state_q == Finish;
  assign index_o = count_q[9:0];

  always_comb begin
    unique case (state_q)
      Head:
      unique case (count_q[1:0])
        2'd0: data_o = sequence_i;
        2'd1: data_o = status_q;
        2'd2: data_o = reply_q[7:0];
        default: data_o = {5'd0, reply_q[10:8]};
      endcase
      Value: data_o = (operation_i == link_pkg::Info) ? InfoData[8*count_q[3:0]+:8] : value_q[7:0];
      default: data_o = read_q;
    endcase
  end
  assign valid_o = state_q == Head || state_q == Value || (state_q == MemByte && gathered_q);
  assign last_o = (state_q == Head) ? count_q == 11'd3 && reply_q == '0 : !more;

  assign mem_valid_o = state_q == MemWrite || state_q == MemRead;
  assign mem_write_o = state_q == MemWrite;
  assign mem_address_o = address_i + 32'(count_q);
  assign mem_data_o = byte_i;

  assign m_awvalid_o = state_q == RegWrite && !aw_done_q;
  assign m_awaddr_o = address_i[11:0];
  assign m_wvalid_o = state_q == RegWrite && !w_done_q;
  assign m_wdata_o = value_q;
  assign m_bready_o = state_q == RegWrite;
  assign m_arvalid_o = state_q == RegRead && !ar_done_q;
  assign m_araddr_o = address_i[11:0];
  assign m_rready_o = state_q == RegRead;

  logic unused;
  assign unused = m_bresp_i[0] | m_rresp_i[0];

endmodule
