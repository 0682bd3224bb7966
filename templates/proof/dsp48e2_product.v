// SPDX-License-Identifier: Apache-2.0
      // (d + o) * b = d * b + o * b, also through the AD register; where the pre-adder of 27 bits
      // goes round, 2^27 * b is missing or too much. All modulo 2^45.
      wire signed [26:0] part_d_in = d_gated;
      wire signed [26:0] part_o_in = other;
      wire subtract_in = inmode[3];
      wire round_up_in = subtract_in ? ~d_gated[26] & other[26] & ad_sum[26]
                                     : ~d_gated[26] & ~other[26] & ad_sum[26];
      wire round_down_in = subtract_in ? d_gated[26] & ~other[26] & ~ad_sum[26]
                                       : d_gated[26] & other[26] & ~ad_sum[26];
      wire signed [26:0] part_d, part_o;
      wire subtract, round_up, round_down;
      if (PREADD && ADREG != 0) begin : with_parts
        reg [26:0] q_d = 27'd0, q_o = 27'd0;
        reg [2:0] q = 3'd0;
        always @(posedge clk)
          if (rstd) begin
            q_d <= 27'd0;
            q_o <= 27'd0;
            q <= 3'd0;
          end else if (CEAD) begin
            q_d <= part_d_in;
            q_o <= part_o_in;
            q <= {subtract_in, round_up_in, round_down_in};
          end
        assign part_d = q_d;
        assign part_o = q_o;
        assign {subtract, round_up, round_down} = q;
      end else begin : no_parts
        assign part_d = part_d_in;
        assign part_o = part_o_in;
        assign {subtract, round_up, round_down} = {subtract_in, round_up_in, round_down_in};
      end
      wire signed [17:0] b_factor = b_mult;
      wire signed [26:0] a_factor = a_mult;
      wire signed [44:0] product_d = part_d * b_factor;
      wire signed [44:0] product_o = part_o * b_factor;
      wire signed [44:0] product_a = a_factor * b_factor;
      wire signed [44:0] beyond_b = {b_mult, 27'd0};
      wire signed [44:0] sum_do = subtract ? product_d - product_o : product_d + product_o;
      wire signed [44:0] apart = sum_do - (round_up ? beyond_b : 45'sd0)
                                        + (round_down ? beyond_b : 45'sd0);
      assign product = (A_FROM_AD && !B_FROM_AD && !PREADD_B) ? apart : product_a;
