// SPDX-License-Identifier: Apache-2.0
// A LUT as a shift register of 32 bits with clock enable: Q is the bit that came in A + 1 enabled edges ago,
// Q31 always the oldest. There is no reset; it powers up at INIT.
`timescale 1ps / 1ps
module SRLC32E #(
    parameter [31:0] INIT = 32'h00000000,
    parameter [0:0] IS_CLK_INVERTED = 1'b0
) (
    output Q,
    output Q31,
    input [4:0] A,
    input CE,
    input CLK,
    input D
);
  reg [31:0] bits;

  assign Q = bits[A];
  assign Q31 = bits[31];

  initial bits = INIT;

  generate
    if (IS_CLK_INVERTED) begin : falling
      always @(negedge CLK) if (CE) bits <= {bits[30:0], D};
    end else begin : rising
      always @(posedge CLK) if (CE) bits <= {bits[30:0], D};
    end
  endgenerate
endmodule
