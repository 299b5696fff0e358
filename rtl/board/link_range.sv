/// Whether bytes lie within a part of the address space.
module link_range #(
    /// A multiple of Bytes.
    parameter logic [31:0] Base = '0,
    /// A power of two.
    parameter int unsigned Bytes = 65536
) (
    input  logic             [31:0] address_i,
    input  link_pkg::count_t        bytes_i,
    output logic                    inside_o
);

  localparam int unsigned Bits = $clog2(Bytes);

  // The place behind the last byte is at most the end.
  logic [Bits:0] behind;
  assign behind   = {1'b0, address_i[Bits-1:0]} + (Bits + 1)'(bytes_i);
  assign inside_o = (address_i >> Bits) == (Base >> Bits) && !(behind[Bits] && behind[Bits-1:0] != '0);

endmodule
