/// Pads for both directions with their registers: for what leaves, for who drives, for what comes. They
/// begin released.
module pads_both #(
    parameter int unsigned Width = 16
) (
    input  logic             clk_i,
    input  logic             drive_i,
    input  logic [Width-1:0] data_i,
    output logic [Width-1:0] data_o,
    inout  wire  [Width-1:0] pads_io
);

  for (genvar i = 0; i < Width; i++) begin : gen_pad
    logic leaves, released, comes;
    OFS1P3BX u_out (
        .D(data_i[i]),
        .SP(1'b1),
        .SCLK(clk_i),
        .PD(1'b0),
        .Q(leaves)
    );
    OFS1P3BX u_drive (
        .D(!drive_i),
        .SP(1'b1),
        .SCLK(clk_i),
        .PD(1'b0),
        .Q(released)
    );
    IFS1P3DX u_in (
        .D(comes),
        .SP(1'b1),
        .SCLK(clk_i),
        .CD(1'b0),
        .Q(data_o[i])
    );
    TRELLIS_IO #(
        .DIR("BIDIR")
    ) u_pad (
        .B(pads_io[i]),
        .I(leaves),
        .T(released),
        .O(comes)
    );
  end

endmodule
