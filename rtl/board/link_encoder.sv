/// Bytes to frames: an end before and behind, escapes, the CRC.
module link_encoder (
    input  logic       clk_i,
    /// Synchronous reset, active low.
    input  logic       rst_ni,
    /// Bytes of a frame; the one that is marked is followed by the CRC.
    input  logic       valid_i,
    output logic       ready_o,
    input  logic [7:0] data_i,
    input  logic       last_i,
    /// To the line.
    output logic       valid_o,
    input  logic       ready_i,
    output logic [7:0] data_o
);

  typedef enum logic [1:0] {
    Begin,
    Body,
    Crc,
    Finish
  } state_t;

  state_t state_q;
  logic [1:0] crc_byte_q;
  logic escaping_q;  // the second half of an escape is on its way

  logic [7:0] value;
  logic special, sent, crc_busy;
  logic [31:0] crc;
  serial_crc u_crc (
      .clk_i,
      .clear_i(state_q == Begin),
      .valid_i(state_q == Body && sent),
      .data_i,
      .busy_o (crc_busy),
      .crc_o  (crc)
  );
  assign value = (state_q == Crc) ? ~crc[8*crc_byte_q+:8] : data_i;
  assign special = value == link_pkg::End || value == link_pkg::Escape;

  always_comb begin
    data_o  = value;
    valid_o = 1'b1;
    unique case (state_q)
      Begin: begin
        valid_o = valid_i;
        data_o  = link_pkg::End;
      end
      Finish: data_o = link_pkg::End;
      default: begin
        valid_o = !crc_busy && (state_q == Crc || valid_i);
        if (escaping_q) begin
          data_o = (value == link_pkg::End) ? link_pkg::EscapedEnd : link_pkg::EscapedEscape;
        end else if (special) begin
          data_o = link_pkg::Escape;
        end
      end
    endcase
  end

  // The value itself has left, not only the first half of its escape.
  assign sent = valid_o && ready_i && (!special || escaping_q);
  assign ready_o = state_q == Body && sent;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Begin;
      escaping_q <= 1'b0;
    end else if (valid_o && ready_i) begin
      unique case (state_q)
        Begin: begin
          state_q <= Body;
          crc_byte_q <= '0;
        end
        Finish: state_q <= Begin;
        default: begin
          escaping_q <= special && !escaping_q;
          if (sent && state_q == Body && last_i) state_q <= Crc;
          if (sent && state_q == Crc) begin
            crc_byte_q <= crc_byte_q + 2'd1;
            if (crc_byte_q == 2'd3) state_q <= Finish;
          end
        end
      endcase
    end
  end

endmodule
