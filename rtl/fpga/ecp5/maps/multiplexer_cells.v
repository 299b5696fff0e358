// Multiplexers of two words are lookup tables, those behind them the slice's own.
(* techmap_celltype = "ECP5_MUX4" *)
module four (input A, B, C, D, S, T, output Y);
  wire low, high;
  LUT4 #(.INIT(16'hCACA)) u_low (.A(A), .B(B), .C(S), .D(1'b0), .Z(low));
  LUT4 #(.INIT(16'hCACA)) u_high (.A(C), .B(D), .C(S), .D(1'b0), .Z(high));
  PFUMX u_of_both (.ALUT(high), .BLUT(low), .C0(T), .Z(Y));
endmodule

(* techmap_celltype = "ECP5_MUX8" *)
module eight (input A, B, C, D, E, F, G, H, S, T, U, output Y);
  wire low, high;
  ECP5_MUX4 u_low (.A(A), .B(B), .C(C), .D(D), .S(S), .T(T), .Y(low));
  ECP5_MUX4 u_high (.A(E), .B(F), .C(G), .D(H), .S(S), .T(T), .Y(high));
  L6MUX21 u_of_both (.D0(low), .D1(high), .SD(U), .Z(Y));
endmodule
