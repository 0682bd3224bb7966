// SPDX-License-Identifier: Apache-2.0
// The product of a DSP48E2 as the products of its lanes: (d + o) * b = d * b + o * b, also through
// the AD register. Where the pre-adder of WIDTH bits goes round, 2^WIDTH * b is missing or too much.
// All modulo 2^45. DSP48E2.v takes this module with KUMIKI_PROOF defined.
module DSP48E2_product #(
    parameter WIDTH = 27,      // of the pre-adder; d, o and a are sign-extended
    parameter REGISTERED = 0,  // d and o pass the AD register
    parameter OF_SUM = 0       // a is the pre-adder's sum of d and o
) (
    input clk,
    input reset,
    input enable,
    input signed [26:0] d_in,
    input signed [26:0] o_in,
    input subtract_in,
    input sum_sign,
    input signed [26:0] a,
    input signed [17:0] b,
    output [44:0] product
);
  wire round_up_in = subtract_in ? ~d_in[26] & o_in[26] & sum_sign
                                 : ~d_in[26] & ~o_in[26] & sum_sign;
  wire round_down_in = subtract_in ? d_in[26] & ~o_in[26] & ~sum_sign
                                   : d_in[26] & o_in[26] & ~sum_sign;
  wire signed [26:0] d, o;
  wire subtract, round_up, round_down;
  generate
    if (REGISTERED) begin : with_register
      reg [26:0] q_d = 27'd0, q_o = 27'd0;
      reg [2:0] q = 3'd0;
      always @(posedge clk)
        if (reset) begin
          q_d <= 27'd0;
          q_o <= 27'd0;
          q <= 3'd0;
        end else if (enable) begin
          q_d <= d_in;
          q_o <= o_in;
          q <= {subtract_in, round_up_in, round_down_in};
        end
      assign d = q_d;
      assign o = q_o;
      assign {subtract, round_up, round_down} = q;
    end else begin : no_register
      assign d = d_in;
      assign o = o_in;
      assign {subtract, round_up, round_down} = {subtract_in, round_up_in, round_down_in};
    end
  endgenerate
  wire signed [44:0] product_d = d * b;
  wire signed [44:0] product_o = o * b;
  wire signed [44:0] product_a = a * b;
  wire signed [44:0] beyond_b = b << WIDTH;
  wire signed [44:0] sum = subtract ? product_d - product_o : product_d + product_o;
  wire signed [44:0] apart = sum - (round_up ? beyond_b : 45'sd0) + (round_down ? beyond_b : 45'sd0);
  assign product = OF_SUM ? apart : product_a;
endmodule
