/// The microcode.
module micro_rom (
    input  logic clk_i,
    /// Reads `addr_i`; `word_o` changes one cycle later and holds until the next read.
    input  logic re_i,
    input  logic [$clog2(microcode_pkg::RomWords)-1:0] addr_i,
    output logic [15:0] word_o
);

  logic [15:0] mem[microcode_pkg::RomWords];
  initial begin
    for (int unsigned i = 0; i < microcode_pkg::RomWords; i++) mem[i] = microcode_pkg::Rom[16*i+:16];
  end

  logic [15:0] word_q;
  always_ff @(posedge clk_i) begin
    if (re_i) word_q <= mem[addr_i];
  end
  assign word_o = word_q;

endmodule
