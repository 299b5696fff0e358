// Carry cells whose first half only makes a carry need none to come in.
(* techmap_celltype = "CCU2C" *)
module chain_begins (CIN, A0, B0, C0, D0, A1, B1, C1, D1, S0, S1, COUT);
  parameter INIT0 = 0;
  parameter INIT1 = 0;
  parameter INJECT1_0 = "NO";
  parameter INJECT1_1 = "NO";
  parameter _TECHMAP_CONSTMSK_CIN_ = 0;
  input CIN, A0, B0, C0, D0, A1, B1, C1, D1;
  output S0, S1, COUT;
  wire _TECHMAP_FAIL_ = !_TECHMAP_CONSTMSK_CIN_ || INIT0[15:8] != 0;
  CCU2C_OPEN #(.INIT0(INIT0), .INIT1(INIT1), .INJECT1_0("NO"), .INJECT1_1("NO")) _TECHMAP_REPLACE_ (
    .CIN(1'bx), .A0(A0), .B0(B0), .C0(C0), .D0(D0), .A1(A1), .B1(B1), .C1(C1), .D1(D1), .S0(S0), .S1(S1), .COUT(COUT));
endmodule
