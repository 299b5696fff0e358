// What product_pair stands for.
module byte_products (
    input         clk_i,
    input         hold_i,
    input  [15:0] kept_i,
    input  [15:0] bytes_i,
    output [31:0] products_o
);

  SB_MAC16 #(
      .MODE_8x8(1'b1),
      .A_SIGNED(1'b1),
      .B_SIGNED(1'b1),
      .A_REG(1'b1),
      .TOP_8x8_MULT_REG(1'b1),
      .BOT_8x8_MULT_REG(1'b1),
      .TOPOUTPUT_SELECT(2'd2),
      .BOTOUTPUT_SELECT(2'd2)
  ) u_multiplier (
      .CLK(clk_i),
      .CE(1'b1),
      .A(kept_i),
      .B(bytes_i),
      .C(16'd0),
      .D(16'd0),
      .AHOLD(hold_i),
      .BHOLD(1'b0),
      .CHOLD(1'b0),
      .DHOLD(1'b0),
      .IRSTTOP(1'b0),
      .IRSTBOT(1'b0),
      .ORSTTOP(1'b0),
      .ORSTBOT(1'b0),
      .OLOADTOP(1'b0),
      .OLOADBOT(1'b0),
      .ADDSUBTOP(1'b0),
      .ADDSUBBOT(1'b0),
      .OHOLDTOP(1'b0),
      .OHOLDBOT(1'b0),
      .CI(1'b0),
      .ACCUMCI(1'b0),
      .SIGNEXTIN(1'b0),
      .O(products_o),
      .CO(),
      .ACCUMCO(),
      .SIGNEXTOUT()
  );

endmodule
