/// The sum is what a register makes of the data, shifted bit by bit as the standards draw it (CRC-32: IEEE 802.3; CRC-24: OpenPGP, RFC
/// 4880): highest power of the polynomial first, each byte's lowest bit first. The cell's sums are parities, those of the register
/// sums modulo 2: when they agree on each input alone, and on none, they agree.
module crc_next_properties #(
    /// 24 or 32.
    parameter int unsigned Bits = 32,
    parameter int unsigned DataBits = 32
) ();
  localparam int unsigned Inputs = Bits + DataBits;
  localparam logic [31:0] Drawn = (Bits == 32) ? 32'h04C11DB7 : 32'h864CFB;
  localparam logic [31:0] Reversed = (Bits == 32) ? checksum_pkg::Polynomial32 : 32'(checksum_pkg::Polynomial24);

  function automatic logic [Bits-1:0] shifted(input logic [Inputs-1:0] inputs);
    for (int b = 0; b < Bits; b++) shifted[b] = inputs[Bits-1-b];
    for (int b = 0; b < DataBits; b++) begin
      shifted = {shifted[Bits-2:0], 1'b0} ^ (Drawn[Bits-1:0] & {Bits{shifted[Bits-1] ^ inputs[Bits+b]}});
    end
  endfunction

  logic [Inputs:0] same;
  for (genvar i = 0; i <= Inputs; i++) begin : gen_inputs
    localparam logic [Inputs-1:0] One = (i == Inputs) ? '0 : Inputs'(1) << i;
    localparam logic [Bits-1:0] Expected = shifted(One);
    logic [Bits-1:0] crc;
    crc_next #(
        .Bits(Bits),
        .DataBits(DataBits),
        .Polynomial(Reversed[Bits-1:0])
    ) u_dut (
        .crc_i (One[Bits-1:0]),
        .data_i(One[Inputs-1:Bits]),
        .crc_o (crc)
    );
    logic [Bits-1:0] alike;
    for (genvar b = 0; b < Bits; b++) begin : gen_bits
      assign alike[b] = crc[b] == Expected[Bits-1-b];
    end
    assign same[i] = &alike;
  end
  always_comb crc_is_the_registers : assert (&same);
endmodule
