/// Sums of all kinds, for synthesis to make carry chains of, and choices between words.
module adders (
    input  logic [33:0] a_i,
    input  logic [33:0] b_i,
    input  logic [33:0] c_i,
    input  logic [33:0] d_i,
    input  logic        e_i,
    output logic [19:0][33:0] sum_o,
    output logic [9:0]  compared_o,
    output logic [2:0][7:0] chosen_o
);

  assign sum_o[0] = a_i + b_i;
  assign sum_o[1] = a_i - b_i;
  assign sum_o[2] = a_i + b_i + 34'(e_i);
  assign sum_o[3] = a_i + b_i + c_i;
  assign sum_o[4] = a_i - b_i + c_i + d_i;
  assign sum_o[5] = 34'(a_i[4:0] + b_i[4:0]);
  assign sum_o[6] = 34'(a_i[6:0]) + 34'(b_i[5:0]);
  assign sum_o[7] = 34'($signed(a_i[16:0]) - $signed(b_i[16:0]));
  assign sum_o[8] = a_i + 34'd1;
  assign sum_o[9] = a_i - 34'd1;
  assign sum_o[10] = 34'd12345678 - a_i;
  assign sum_o[11] = 34'($signed(a_i[8:0])) + 34'($signed(b_i[32:0])) - 34'($signed(c_i[20:0])) + 34'd5;
  assign sum_o[12] = a_i + (b_i & {34{e_i}});
  masked_adder #(
      .Width(17)
  ) u_masked (
      .augend_i(a_i[16:0]),
      .addend_i(b_i[16:0]),
      .enable_i(e_i),
      .sum_o(sum_o[13][16:0])
  );
  masked_adder #(
      .Width(16),
      .Subtract(1'b1)
  ) u_masked_subtractor (
      .augend_i(a_i[15:0]),
      .addend_i(b_i[15:0]),
      .enable_i(e_i),
      .sum_o(sum_o[13][32:17])
  );
  assign sum_o[13][33] = 1'b0;
  adder_subtractor #(
      .Width(34)
  ) u_even (
      .augend_i(a_i),
      .addend_i(b_i),
      .subtract_i(e_i),
      .sum_o(sum_o[14])
  );
  adder_subtractor #(
      .Width(33)
  ) u_odd (
      .augend_i(a_i[32:0]),
      .addend_i(b_i[32:0]),
      .subtract_i(e_i),
      .sum_o(sum_o[15][32:0])
  );
  assign sum_o[15][33] = 1'b0;

  masked_sum #(
      .Width(17)
  ) u_both (
      .first_i(a_i[16:0]),
      .first_enable_i(e_i),
      .second_i(b_i[16:0]),
      .second_enable_i(d_i[0]),
      .sum_o(sum_o[16][16:0])
  );
  masked_sum #(
      .Width(16),
      .Subtract(1'b1)
  ) u_either (
      .first_i(a_i[15:0]),
      .first_enable_i(d_i[1]),
      .second_i(b_i[15:0]),
      .second_enable_i(e_i),
      .sum_o(sum_o[16][32:17])
  );
  assign sum_o[16][33] = 1'b0;
  // Not one after the other, though they could be.
  adder_tree #(
      .Terms(6)
  ) u_tree (
      .terms_i({a_i[16:0], b_i[33:17], c_i, d_i}),
      .sum_o  (sum_o[17][19:0])
  );
  assign sum_o[17][33:20] = '0;
  loaded_adder #(
      .Width(17)
  ) u_loaded (
      .load_i  (e_i),
      .value_i (c_i[16:0]),
      .augend_i(a_i[16:0]),
      .addend_i(b_i[16:0]),
      .sum_o   (sum_o[18][16:0])
  );
  // One less, as what counts down does.
  loaded_adder #(
      .Width(16)
  ) u_counted (
      .load_i  (e_i),
      .value_i (b_i[15:0]),
      .augend_i(a_i[15:0]),
      .addend_i('1),
      .sum_o   (sum_o[18][32:17])
  );
  assign sum_o[18][33] = 1'b0;
  selected_adder #(
      .Width(17)
  ) u_selected (
      .augend_i(a_i[16:0]),
      .select_i(e_i),
      .first_i (b_i[16:0]),
      .second_i(c_i[16:0]),
      .sum_o   (sum_o[19][16:0])
  );
  selected_adder #(
      .Width(16)
  ) u_selected_even (
      .augend_i(d_i[15:0]),
      .select_i(e_i),
      .first_i (a_i[15:0]),
      .second_i(b_i[15:0]),
      .sum_o   (sum_o[19][32:17])
  );
  assign sum_o[19][33] = 1'b0;

  assign compared_o[0] = a_i < b_i;
  assign compared_o[1] = a_i <= b_i;
  assign compared_o[2] = $signed(a_i) < $signed(b_i);
  assign compared_o[3] = $signed(a_i[19:0]) >= $signed(b_i[19:0]);
  assign compared_o[4] = a_i[22:0] + b_i[22:0] < c_i[22:0];
  assign compared_o[5] = a_i[20:0] > 21'd1000000;
  assign compared_o[6] = a_i[7:0] > b_i[7:0];
  assign compared_o[7] = a_i[12:0] - b_i[12:0] == 13'd0;
  selected_less #(
      .Width(17)
  ) u_less (
      .word_i  (a_i[16:0]),
      .select_i(e_i),
      .first_i (b_i[16:0]),
      .second_i(c_i[16:0]),
      .less_o  (compared_o[8])
  );
  selected_less #(
      .Width(34)
  ) u_less_even (
      .word_i  (d_i),
      .select_i(e_i),
      .first_i (a_i),
      .second_i(b_i),
      .less_o  (compared_o[9])
  );

  // One of four, of eight, of sixteen.
  logic [3:0][7:0] four;
  logic [15:0][7:0] sixteen;
  assign four = a_i[31:0];
  assign sixteen = {a_i[31:0], b_i[31:0], c_i[31:0], d_i[31:0]};
  assign chosen_o[0] = four[b_i[33:32]];
  assign chosen_o[1] = sixteen[{e_i, c_i[33:32]}];
  assign chosen_o[2] = sixteen[{d_i[33:32], a_i[33:32]}];

endmodule
