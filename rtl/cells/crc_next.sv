/// A CRC, lowest bit first, after some bits of data more. What leaves the sum meets the bit of data that comes with it, so bits of
/// both are added at once; each bit of the new sum is the parity of some of these: said so, it is a tree; synthesis makes a chain of
/// what goes through the data bit by bit.
module crc_next #(
    parameter int unsigned Bits = 32,
    parameter int unsigned DataBits = 32,
    parameter logic [Bits-1:0] Polynomial = checksum_pkg::Polynomial32
) (
    input  logic [    Bits-1:0] crc_i,
    input  logic [DataBits-1:0] data_i,
    output logic [    Bits-1:0] crc_o
);

  localparam int unsigned Inputs = Bits > DataBits ? Bits : DataBits;

  // The inputs whose parity a bit of the sum is, bit for bit, when all the data went through.
  function automatic logic [Bits*Inputs-1:0] parities(input int unsigned count);
    logic [Inputs-1:0] feedback;
    parities = '0;
    for (int unsigned b = 0; b < Bits; b++) parities[b*Inputs+b] = 1'b1;
    for (int unsigned i = 0; i < count; i++) begin
      feedback = parities[Inputs-1:0];
      // Further ones meet what comes back out of the sum.
      if (i >= Bits) feedback[i] = 1'b1;
      parities = parities >> Inputs;
      for (int unsigned b = 0; b < Bits; b++) begin
        if (Polynomial[b]) parities[b*Inputs+:Inputs] = parities[b*Inputs+:Inputs] ^ feedback;
      end
    end
  endfunction

  localparam logic [Bits*Inputs-1:0] Parities = parities(DataBits);
  logic [Inputs-1:0] met;
  assign met = Inputs'(crc_i) ^ Inputs'(data_i);
  for (genvar b = 0; b < Bits; b++) begin : gen_bits
    assign crc_o[b] = ^(met & Parities[b*Inputs+:Inputs]);
  end

endmodule
