// Multiplexers of four and of eight, as mapping to lookup tables sees them: it would make lookup tables of them, three where two and the
// slice's own multiplexers do. Picoseconds.
(* abc9_box, lib_whitebox *)
module ECP5_MUX4 (
  input A, B, C, D, S, T,
  output Y
);
  assign Y = T ? (S ? D : C) : (S ? B : A);

  specify
    (A => Y) = 650;
    (B => Y) = 650;
    (C => Y) = 650;
    (D => Y) = 650;
    (S => Y) = 650;
    (T => Y) = 250;
  endspecify
endmodule

(* abc9_box, lib_whitebox *)
module ECP5_MUX8 (
  input A, B, C, D, E, F, G, H, S, T, U,
  output Y
);
  assign Y = U ? (T ? (S ? H : G) : (S ? F : E)) : (T ? (S ? D : C) : (S ? B : A));

  specify
    (A => Y) = 850;
    (B => Y) = 850;
    (C => Y) = 850;
    (D => Y) = 850;
    (E => Y) = 850;
    (F => Y) = 850;
    (G => Y) = 850;
    (H => Y) = 850;
    (S => Y) = 850;
    (T => Y) = 450;
    (U => Y) = 250;
  endspecify
endmodule
