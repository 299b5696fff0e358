/// The sum of signed terms: pairs, pairs of pairs and so on, a bit more each time.
(* sums_as_written *)
module adder_tree #(
    parameter int unsigned Terms = 8,
    /// Bits of a term.
    parameter int unsigned Width = 17,
    /// Derived, not to be set.
    parameter int unsigned SumBits = Width + $clog2(Terms)
) (
    input  logic [Terms-1:0][Width-1:0] terms_i,
    output logic [SumBits-1:0]          sum_o
);

  // Node n is the sum of 2n and 2n + 1; the last ones are the terms.
  localparam int unsigned Leaves = 1 << $clog2(Terms);
  logic [2*Leaves-1:0][SumBits-1:0] nodes;
  always_comb begin
    nodes = '0;
    for (int unsigned t = 0; t < Terms; t++) nodes[Leaves+t] = SumBits'($signed(terms_i[t]));
    for (int unsigned n = Leaves - 1; n > 0; n--) nodes[n] = $signed(nodes[2*n]) + $signed(nodes[2*n+1]);
  end
  assign sum_o = nodes[1];

endmodule
