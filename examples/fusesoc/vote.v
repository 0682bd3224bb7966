// SPDX-License-Identifier: Apache-2.0
// Yes when more than half of 31 voters say so, two clocks later.
`timescale 1ps / 1ps
module vote (
    input wire clk,
    input wire [30:0] votes,
    output wire yes
);
  wire valid;
  wire [4:0] count;

  voters tree (
      .clk(clk),
      .ones_rst(1'b0),
      .ones_en(1'b1),
      .ones_in_valid(1'b1),
      .ones_x(votes),
      .ones_out_valid(valid),
      .ones_sum(count)
  );

  assign yes = valid && count > 15;
endmodule
