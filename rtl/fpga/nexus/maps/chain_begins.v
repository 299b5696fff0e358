// Carry cells that begin a chain have no carry to come in: the placer refuses a constant there.
(* techmap_celltype = "CCU2" *)
module chain_begins (CIN, A0, B0, C0, D0, A1, B1, C1, D1, S0, S1, COUT);
  parameter INIT0 = "0x0000";
  parameter INIT1 = "0x0000";
  parameter INJECT = "NO";
  input CIN, A0, B0, C0, D0, A1, B1, C1, D1;
  output S0, S1, COUT;
  wire _TECHMAP_FAIL_ = INIT0 != "0xFFFF";
  CCU2_OPEN #(.INIT0(INIT0), .INIT1(INIT1), .INJECT(INJECT)) _TECHMAP_REPLACE_ (
    .CIN(1'bx), .A0(A0), .B0(B0), .C0(C0), .D0(D0), .A1(A1), .B1(B1), .C1(C1), .D1(D1), .S0(S0), .S1(S1), .COUT(COUT));
endmodule
