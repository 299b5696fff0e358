/// masked_adder of ECP5 carry cells: the mask is part of the adder's own lookup tables, which synthesis does not find by itself.
module masked_adder #(
    parameter bit Subtract = 1'b0
) (
    input  logic [9:0] augend_i,
    /// Signed.
    input  logic [8:0] addend_i,
    input  logic       enable_i,
    output logic [9:0] sum_o
);

  // With D high: A ^ (B & C), its complement when subtracting. Where that is 0 the carry is A.
  localparam logic [15:0] Table = Subtract ? 16'h95AA : 16'h6AAA;

  logic [9:0] addend;
  logic [5:0] carry;
  assign addend = {addend_i[8], addend_i};
  assign carry[0] = Subtract;

  for (genvar i = 0; i < 5; i++) begin : gen_pairs
    CCU2C #(
        .INIT0(Table),
        .INIT1(Table),
        .INJECT1_0("NO"),
        .INJECT1_1("NO")
    ) u_pair (
        .CIN(carry[i]),
        .A0(augend_i[2*i]),
        .B0(addend[2*i]),
        .C0(enable_i),
        .D0(1'b1),
        .A1(augend_i[2*i+1]),
        .B1(addend[2*i+1]),
        .C1(enable_i),
        .D1(1'b1),
        .S0(sum_o[2*i]),
        .S1(sum_o[2*i+1]),
        .COUT(carry[i+1])
    );
  end

endmodule
