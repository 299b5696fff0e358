/// Outputs with the registers that lie in the pads. They begin with ones, which is no command to a memory.
module pads_out #(
    parameter int unsigned Width = 1
) (
    input  logic             clk_i,
    input  logic [Width-1:0] data_i,
    output logic [Width-1:0] pads_o
);

  for (genvar i = 0; i < Width; i++) begin : gen_pad
    OFS1P3BX u_out (
        .D(data_i[i]),
        .SP(1'b1),
        .SCLK(clk_i),
        .PD(1'b0),
        .Q(pads_o[i])
    );
  end

endmodule
