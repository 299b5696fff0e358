/// The checksum is the CRC-24 of the OpenPGP standard's polynomial over the bytes that are read, in
module load_checksum_properties #(
    parameter int unsigned BusBytes = 4
) (
    input logic                  clk_i,
    input logic                  beat_i,
    input logic [BusBytes*8-1:0] data_i,
    input logic [  BusBytes-1:0] strobe_i,
    input logic                  last_i,
    input logic [          23:0] expected_i,
    input logic [          31:0] address_i
);

  logic rst_n, error;
  logic [31:0] address;
  reset_once u_reset (
      .clk_i,
      .rst_no(rst_n)
  );
  load_checksum #(
      .BusBytes(BusBytes)
  ) u_dut (
      .clk_i,
      .rst_ni(rst_n),
      .beat_i,
      .data_i,
      .strobe_i,
      .last_i,
      .expected_i,
      .address_i,
      .error_o(error),
      .address_o(address)
  );

  logic [23:0] crc_q, crc, expected_q;
  logic [31:0] address_q;
  logic compare_q;
  // What a step of the checksum is has a proof of its own: crc_next.
  logic [BusBytes*8-1:0] data;
  for (genvar b = 0; b < BusBytes * 8; b++) begin : gen_data
    assign data[b] = data_i[b] && strobe_i[b/8];
  end
  crc_next #(
      .Bits(24),
      .DataBits(BusBytes * 8),
      .Polynomial(checksum_pkg::Polynomial24)
  ) u_model (
      .crc_i (crc_q),
      .data_i(data),
      .crc_o (crc)
  );

  logic [23:0] result_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      crc_q <= '1;
      compare_q <= 1'b0;
    end else begin
      compare_q <= beat_i && last_i;
      if (beat_i) begin
        crc_q <= last_i ? '1 : crc;
        result_q <= crc;
        expected_q <= expected_i;
        address_q <= address_i;
      end
    end
  end

  /// Connected to the cell's register.
  (* keep *)logic [23:0] crc_q_seen;
  always_comb begin
    if (rst_n) begin
      error_is_true : assert (error == (compare_q && result_q != expected_q));
      states_are_alike : assert (crc_q_seen == (compare_q ? result_q : crc_q));
      address_is_the_loads : assert (!error || address == address_q);
    end
  end

endmodule
