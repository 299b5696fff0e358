// A sum of several words is carry chains one behind the other: half of what counters of three bits and one chain would take.
(* techmap_celltype = "$add $sub" *)
module chained_sum (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  (* force_downto *) input [A_WIDTH-1:0] A;
  (* force_downto *) input [B_WIDTH-1:0] B;
  (* force_downto *) output [Y_WIDTH-1:0] Y;

  localparam Minus = _TECHMAP_CELLTYPE_ == "$sub";
  (* force_downto *) wire [Y_WIDTH-1:0] parity, carry;
  \$alu #(
    .A_SIGNED(A_SIGNED), .B_SIGNED(B_SIGNED), .A_WIDTH(A_WIDTH), .B_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)
  ) _TECHMAP_REPLACE_ (.A(A), .B(B), .CI(Minus), .BI(Minus), .Y(Y), .X(parity), .CO(carry));
endmodule
