// SPDX-License-Identifier: Apache-2.0
// An unknown input leaves a LUT's output known exactly when the output does not depend on it. All 3^6 inputs
// of 0, 1 and x, for many truth tables, against the truth table read over every completion of the x.
`timescale 1ps / 1ps
module unknown;
  reg [5:0] in, mask, value, at;
  reg zero6, one6, zero5, one5;
  wire [59:0] o6, o5_of2, o6_of2;
  reg [63:0] init[0:59];
  integer wrong, compared, n, pattern, digits, i;

  genvar k;
  generate
    for (k = 0; k < 60; k = k + 1) begin : table_of
      // Tables that ignore inputs (a multiplexer, an AND, a constant) beside scrambled ones.
      localparam [63:0] SCRAMBLED = 64'h9e3779b97f4a7c15 * (k + 1) ^ 64'hd1b54a32d192ed03 * k * k;
      localparam [63:0] INIT = k == 0 ? 64'hcacacacacacacaca : k == 1 ? 64'h8000000000000000 :
          k == 2 ? 64'hffffffffffffffff : k == 3 ? 64'hff00f0f0ccccaaaa : k < 30 ? SCRAMBLED :
          SCRAMBLED & (SCRAMBLED << 13) & (SCRAMBLED << 29);
      initial init[k] = INIT;
      LUT6 #(.INIT(INIT)) lut6 (.O(o6[k]), .I0(in[0]), .I1(in[1]), .I2(in[2]), .I3(in[3]), .I4(in[4]), .I5(in[5]));
      LUT6_2 #(.INIT(INIT)) lut6_2 (.O5(o5_of2[k]), .O6(o6_of2[k]), .I0(in[0]), .I1(in[1]), .I2(in[2]),
          .I3(in[3]), .I4(in[4]), .I5(in[5]));
    end
  endgenerate

  function expected(input can_be_zero, input can_be_one);
    expected = can_be_zero && can_be_one ? 1'bx : can_be_one;
  endfunction

  initial begin
    wrong = 0;
    compared = 0;
    for (pattern = 0; pattern < 729; pattern = pattern + 1) begin
      digits = pattern;
      for (i = 0; i < 6; i = i + 1) begin
        in[i] = digits % 3 == 2 ? 1'bx : digits % 3;
        mask[i] = digits % 3 == 2;
        value[i] = digits % 3 == 1;
        digits = digits / 3;
      end
      #1;
      for (n = 0; n < 60; n = n + 1) begin
        zero6 = 0; one6 = 0; zero5 = 0; one5 = 0;
        for (i = 0; i < 64; i = i + 1) begin
          at = i;
          if (((at ^ value) & ~mask) == 0) begin
            if (init[n][at]) one6 = 1; else zero6 = 1;
            if (init[n][{1'b0, at[4:0]}]) one5 = 1; else zero5 = 1;
          end
        end
        compared = compared + 3;
        if (o6[n] !== expected(zero6, one6)) wrong = wrong + 1;
        if (o6_of2[n] !== expected(zero6, one6)) wrong = wrong + 1;
        if (o5_of2[n] !== expected(zero5, one5)) wrong = wrong + 1;
      end
    end
    $display("%0d outputs compared, %0d wrong", compared, wrong);
    $finish;
  end
endmodule
