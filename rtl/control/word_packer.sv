/// Words of 8 bytes from the beats of bursts that begin and end at words, on a bus of at most 8 bytes.
/// A word is out a cycle after its last beat, and always taken.
module word_packer #(
    /// Bytes per beat: 2, 4 or 8.
    parameter int unsigned BusBytes = 4
) (
    input  logic                  clk_i,
    /// Synchronous reset, active low: drops what is held.
    input  logic                  rst_ni,
    input  logic                  in_valid_i,
    /// Not in the cycle after a burst's last beat.
    output logic                  in_ready_o,
    input  logic [BusBytes*8-1:0] in_data_i,
    /// The last beat of a burst.
    input  logic                  in_last_i,
    output logic                  out_valid_o,
    output logic [          63:0] out_data_o,
    /// The word is the last one of a burst.
    output logic                  done_o
);

  localparam int unsigned Beats = 8 / BusBytes;

  logic [63:0] word_q;
  logic valid_q, last_q, take, complete;
  assign in_ready_o = !last_q;
  assign take = in_valid_i && in_ready_o;

  if (Beats > 1) begin : gen_several
    logic [$clog2(Beats)-1:0] beat_q;
    assign complete = &beat_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) beat_q <= '0;
      else if (take) beat_q <= beat_q + 1'b1;
    end
    always_ff @(posedge clk_i) if (take) word_q <= {in_data_i, word_q[63:BusBytes*8]};
  end else begin : gen_one
    assign complete = 1'b1;
    always_ff @(posedge clk_i) if (take) word_q <= in_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      last_q  <= 1'b0;
    end else begin
      valid_q <= take && complete;
      last_q  <= take && in_last_i;
    end
  end

  assign out_valid_o = valid_q;
  assign out_data_o = word_q;
  assign done_o = last_q;

endmodule
