/// What synthesis made of the adders beside what they are.
module adders_test;
  logic [33:0] a, b, c, d;
  logic [19:0][33:0] sums, netlist_sums;
  logic e;
  logic [9:0] compared, netlist_compared;
  logic [2:0][7:0] chosen, netlist_chosen;
  int wrong = 0;

  adders u_adders (
      .a_i(a),
      .b_i(b),
      .c_i(c),
      .d_i(d),
      .e_i(e),
      .sum_o(sums),
      .compared_o(compared),
      .chosen_o(chosen)
  );
  adders_netlist u_netlist (
      .a_i(a),
      .b_i(b),
      .c_i(c),
      .d_i(d),
      .e_i(e),
      .sum_o(netlist_sums),
      .compared_o(netlist_compared),
      .chosen_o(netlist_chosen)
  );
  // Ones in a row now and then: long carries.
  function automatic logic [33:0] drawn();
    logic [33:0] value;
    value = {2'($urandom), $urandom};
    case ($urandom % 4)
      0: drawn = value;
      1: drawn = '1 << ($urandom % 34);
      2: drawn = ~({34{1'b1}} << ($urandom % 34));
      default: drawn = value & (34'd1 << ($urandom % 34));
    endcase
  endfunction

  initial begin
    for (int i = 0; i < 100000; i++) begin
      a = drawn();
      b = ($urandom % 4 == 0) ? a : drawn();
      c = drawn();
      d = ($urandom % 4 == 0) ? b : drawn();
      e = 1'($urandom);
      #1;
      if (netlist_sums !== sums || netlist_compared !== compared || netlist_chosen !== chosen) wrong++;
    end
    $display("%0d wrong", wrong);
    $finish;
  end
endmodule
