// Adders of ECP5 carry cells. A carry cell in front of the first one, only to bring a constant in, and one behind the last one, only
// to bring the carry out, are what the placer adds when it finds a chain with them: two lookup tables each. Here the first half cell
// makes the carry out of bit 0, whose sum is ordinary logic, or takes the carry in where it is none of the constants; a carry out
// that is used is the sum of the half cell behind the last bit. chain_begins.v and chain_ends.v leave the ends open.
(* techmap_celltype = "$alu" *)
module _80_ecp5_adder (A, B, CI, BI, X, Y, CO);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 8;
  parameter B_WIDTH = 8;
  parameter Y_WIDTH = 8;
  parameter _TECHMAP_CONSTMSK_CI_ = 0;
  parameter _TECHMAP_CONSTVAL_CI_ = 0;

  (* force_downto *) input [A_WIDTH-1:0] A;
  (* force_downto *) input [B_WIDTH-1:0] B;
  input CI, BI;
  (* force_downto *) output [Y_WIDTH-1:0] X, Y, CO;

  // Shorter ones are smaller of lookup tables.
  wire _TECHMAP_FAIL_ = Y_WIDTH < 5;

  localparam Known = _TECHMAP_CONSTMSK_CI_;
  // The bit of half 1: half 0 makes a carry.
  localparam First = Known ? 1 : 0;
  localparam Halves = 1 + Y_WIDTH - First;
  localparam Pairs = (Halves + 1) / 2;
  // With D high: A ^ B ^ C. Where that is 0 the carry is A.
  localparam [15:0] Sum = 16'h96AA;
  // With D high: nothing. The carry is A, A | B, A & B.
  localparam [15:0] Make = !Known ? 16'h00AA : _TECHMAP_CONSTVAL_CI_ ? 16'h00EE : 16'h0088;

  (* force_downto *) wire [Y_WIDTH-1:0] a, b, added;
  \$pos #(.A_SIGNED(A_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) u_a (.A(A), .Y(a));
  \$pos #(.A_SIGNED(B_SIGNED), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) u_b (.A(B), .Y(b));
  assign added = BI ? ~b : b;
  assign X = a ^ added;

  // Above the last bit zeros: their sum is the carry.
  wire [Y_WIDTH+1:0] wide_a = {2'b00, a};
  wire [Y_WIDTH+1:0] wide_b = {2'b00, b};
  wire [2*Pairs-1:0] sums;
  wire [Pairs-1:0] carries;

  CCU2C #(.INIT0(Make), .INIT1(Sum), .INJECT1_0("NO"), .INJECT1_1("NO")) u_first (
    .CIN(1'bx),
    .A0(Known ? a[0] : CI), .B0(Known ? added[0] : 1'b1), .C0(1'b1), .D0(1'b1),
    .A1(a[First]), .B1(b[First]), .C1(BI), .D1(1'b1),
    .S1(sums[1]), .COUT(carries[0]));

  genvar i;
  generate
    for (i = 1; i < Pairs; i = i + 1) begin : further
      localparam Low = 2 * i - 1 + First;
      CCU2C #(.INIT0(Sum), .INIT1(Sum), .INJECT1_0("NO"), .INJECT1_1("NO")) u_pair (
        .CIN(carries[i-1]),
        .A0(wide_a[Low]), .B0(wide_b[Low]), .C0(BI), .D0(1'b1),
        .A1(wide_a[Low+1]), .B1(wide_b[Low+1]), .C1(Low + 1 < Y_WIDTH ? BI : 1'b0), .D1(1'b1),
        .S0(sums[2*i]), .S1(sums[2*i+1]), .COUT(carries[i]));
    end
    if (Halves < 2 * Pairs) begin : spare
      assign CO[Y_WIDTH-1] = sums[2*Pairs-1];
    end else begin : out
      // Gone where nothing wants it.
      CCU2C #(.INIT0(Sum), .INIT1(Sum), .INJECT1_0("NO"), .INJECT1_1("NO")) u_out (
        .CIN(carries[Pairs-1]),
        .A0(1'b0), .B0(1'b0), .C0(1'b0), .D0(1'b1), .A1(1'b0), .B1(1'b0), .C1(1'b0), .D1(1'b1),
        .S0(CO[Y_WIDTH-1]));
    end
    for (i = 0; i < Y_WIDTH; i = i + 1) begin : each
      if (i < First) assign Y[i] = X[i] ^ CI;
      else assign Y[i] = sums[i+1-First];
      if (i + 1 < Y_WIDTH) assign CO[i] = Y[i+1] ^ X[i+1];
    end
  endgenerate
endmodule
