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
  always_comb begin
    crc = crc_q;
    for (int b = 0; b < BusBytes * 8; b++) begin
      crc = {crc[22:0], 1'b0} ^ (24'h864CFB & {24{crc[23] ^ (data_i[b] && strobe_i[b/8])}});
    end
  end

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
  logic [23:0] result, state;
  always_comb begin
    for (int b = 0; b < 24; b++) result[b] = result_q[23-b];
    for (int b = 0; b < 24; b++) state[b] = crc_q[23-b];
    if (rst_n) begin
      error_is_true : assert (error == (compare_q && result != expected_q));
      states_are_alike : assert (crc_q_seen == (compare_q ? result : state));
      address_is_the_loads : assert (!error || address == address_q);
    end
  end

endmodule
