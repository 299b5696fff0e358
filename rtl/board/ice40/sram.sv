/// The four single-port memories of an iCE40 UltraPlus as one: 128 KiB.
module sram #(
    /// 2, 4 or 8.
    parameter int unsigned WordBytes = 4,
    /// Derived, not to be set.
    parameter int unsigned AddressBits = 17 - $clog2(WordBytes)
) (
    input  logic                   clk_i,
    /// What is read comes a cycle after its address.
    input  logic [AddressBits-1:0] address_i,
    input  logic                   write_i,
    input  logic [  WordBytes-1:0] strobe_i,
    input  logic [WordBytes*8-1:0] data_i,
    output logic [WordBytes*8-1:0] data_o
);

  localparam int unsigned BlockBits = 14;  // words of two bytes
  localparam int unsigned Wide = WordBytes / 2;
  localparam int unsigned Deep = 4 / Wide;

  logic [Deep-1:0] here;
  logic [Deep-1:0][WordBytes*8-1:0] data;

  for (genvar d = 0; d < Deep; d++) begin : gen_deep
    assign here[d] = (address_i >> BlockBits) == AddressBits'(d);
    for (genvar w = 0; w < Wide; w++) begin : gen_wide
      SB_SPRAM256KA u_block (
          .ADDRESS(address_i[BlockBits-1:0]),
          .DATAIN(data_i[16*w+:16]),
          .MASKWREN({{2{strobe_i[2*w+1]}}, {2{strobe_i[2*w]}}}),
          .WREN(write_i && here[d]),
          .CHIPSELECT(1'b1),
          .CLOCK(clk_i),
          .STANDBY(1'b0),
          .SLEEP(1'b0),
          .POWEROFF(1'b1),
          .DATAOUT(data[d][16*w+:16])
      );
    end
  end

  if (Deep > 1) begin : gen_choice
    logic [$clog2(Deep)-1:0] from_q;
    always_ff @(posedge clk_i) from_q <= address_i[BlockBits+:$clog2(Deep)];
    assign data_o = data[from_q];
  end else begin : gen_all
    assign data_o = data[0];
  end

endmodule
