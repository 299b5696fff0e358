// Carry cells as mapping to lookup tables sees them: what comes in by a lookup table's input has been routed, the carry has not. Without
// that a long adder looks slower than it is, and other paths get as many lookup tables as would be as slow. Picoseconds.
(* abc9_box, lib_whitebox *)
module CCU2C (
  (* abc9_carry *) input CIN,
  input A0, B0, C0, D0, A1, B1, C1, D1,
  output S0, S1,
  (* abc9_carry *) output COUT
);
  parameter [15:0] INIT0 = 0;
  parameter [15:0] INIT1 = 0;
  parameter INJECT1_0 = "YES";
  parameter INJECT1_1 = "YES";

  // Each half: the carry goes on where its table is high, else it is what the lowest four of the table say of A and B.
  wire high0 = INIT0[{D0, C0, B0, A0}];
  wire high1 = INIT1[{D1, C1, B1, A1}];
  wire made0 = INJECT1_0 == "YES" ? 1'b0 : INIT0[{2'b00, B0, A0}];
  wire made1 = INJECT1_1 == "YES" ? 1'b0 : INIT1[{2'b00, B1, A1}];
  wire between = high0 ? CIN : made0;
  assign S0 = high0 ^ (INJECT1_0 == "YES" ? 1'b0 : CIN);
  assign S1 = high1 ^ (INJECT1_1 == "YES" ? 1'b0 : between);
  assign COUT = high1 ? between : made1;

  specify
    (CIN => S0) = 257;
    (CIN => S1) = 273;
    (CIN => COUT) = 43;
    (A0 => S0) = 1029;
    (B0 => S0) = 1029;
    (C0 => S0) = 925;
    (D0 => S0) = 791;
    (A0 => S1) = 1280;
    (B0 => S1) = 1280;
    (C0 => S1) = 1176;
    (D0 => S1) = 1042;
    (A1 => S1) = 1029;
    (B1 => S1) = 1029;
    (C1 => S1) = 925;
    (D1 => S1) = 791;
    (A0 => COUT) = 1166;
    (B0 => COUT) = 1166;
    (C0 => COUT) = 1062;
    (D0 => COUT) = 928;
    (A1 => COUT) = 1166;
    (B1 => COUT) = 1166;
    (C1 => COUT) = 1062;
    (D1 => COUT) = 928;
  endspecify
endmodule
