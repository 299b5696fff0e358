// Carry cells whose carry goes nowhere.
(* techmap_celltype = "CCU2C" *)
module chain_ends (CIN, A0, B0, C0, D0, A1, B1, C1, D1, S0, S1, COUT);
  parameter INIT0 = 0;
  parameter INIT1 = 0;
  parameter INJECT1_0 = "NO";
  parameter INJECT1_1 = "NO";
  input CIN, A0, B0, C0, D0, A1, B1, C1, D1;
  output S0, S1, COUT;
  CCU2C_OPEN #(.INIT0(INIT0), .INIT1(INIT1), .INJECT1_0("NO"), .INJECT1_1("NO")) _TECHMAP_REPLACE_ (
    .CIN(CIN), .A0(A0), .B0(B0), .C0(C0), .D0(D0), .A1(A1), .B1(B1), .C1(C1), .D1(D1), .S0(S0), .S1(S1), .COUT(1'bx));
endmodule
