// SPDX-License-Identifier: Apache-2.0
// A sum of products in a slice, and a sum of 8 bits in LUTs and a carry chain that comes out four clocks later.
`timescale 1ps / 1ps
module example (
    input clk,
    input signed [7:0] x,
    input signed [7:0] w,
    output [47:0] products,
    output [7:0] sum
);
  // P = A * B + P: a product is in P three edges after its operands.
  DSP48E2 #(
      .ADREG(0), .ALUMODEREG(0), .CARRYINREG(0), .CARRYINSELREG(0), .CREG(0), .DREG(0), .INMODEREG(0), .OPMODEREG(0)
  ) macc (
      .CLK(clk), .A({{22{x[7]}}, x}), .B({{10{w[7]}}, w}), .C(48'd0), .D(27'd0), .P(products),
      .OPMODE(9'b000100101), .ALUMODE(4'd0), .INMODE(5'd0), .CARRYIN(1'b0), .CARRYINSEL(3'd0),
      .ACIN(30'd0), .BCIN(18'd0), .PCIN(48'd0), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0),
      .CEA1(1'b1), .CEA2(1'b1), .CEAD(1'b0), .CEALUMODE(1'b0), .CEB1(1'b1), .CEB2(1'b1), .CEC(1'b0), .CECARRYIN(1'b0),
      .CECTRL(1'b0), .CED(1'b0), .CEINMODE(1'b0), .CEM(1'b1), .CEP(1'b1),
      .RSTA(1'b0), .RSTALLCARRYIN(1'b0), .RSTALUMODE(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTCTRL(1'b0), .RSTD(1'b0),
      .RSTINMODE(1'b0), .RSTM(1'b0), .RSTP(1'b0),
      .ACOUT(), .BCOUT(), .CARRYCASCOUT(), .CARRYOUT(), .MULTSIGNOUT(), .OVERFLOW(), .PATTERNBDETECT(), .PATTERNDETECT(),
      .PCOUT(), .UNDERFLOW(), .XOROUT()
  );

  // O6 is x ^ w, O5 is x: a position of an adder.
  wire [7:0] propagate, generated, now, delayed;
  LUT6_2 #(
      .INIT(64'h66666666aaaaaaaa)
  ) position[7:0] (
      .O5(generated), .O6(propagate), .I0(x), .I1(w), .I2(1'b0), .I3(1'b0), .I4(1'b0), .I5(1'b1)
  );
  CARRY8 chain (
      .CO(), .O(now), .CI(1'b0), .CI_TOP(1'b0), .DI(generated), .S(propagate)
  );
  // Three edges in a shift register, one in a flip-flop.
  SRL16E later[7:0] (
      .Q(delayed), .A0(1'b0), .A1(1'b1), .A2(1'b0), .A3(1'b0), .CE(1'b1), .CLK(clk), .D(now)
  );
  FDRE last[7:0] (
      .Q(sum), .C(clk), .CE(1'b1), .D(delayed), .R(1'b0)
  );
endmodule
