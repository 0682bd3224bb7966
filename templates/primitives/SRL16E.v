// SPDX-License-Identifier: Apache-2.0
// A LUT as a shift register of 16 bits with clock enable: Q is the bit that came in A + 1 enabled edges ago.
// There is no reset; it powers up at INIT.
`timescale 1ps / 1ps
module SRL16E #(
    parameter [15:0] INIT = 16'h0000,
    parameter [0:0] IS_CLK_INVERTED = 1'b0
) (
    output Q,
    input A0,
    input A1,
    input A2,
    input A3,
    input CE,
    input CLK,
    input D
);
  reg [15:0] bits;

  assign Q = bits[{A3, A2, A1, A0}];

  initial bits = INIT;

  generate
    if (IS_CLK_INVERTED) begin : falling
      always @(negedge CLK) if (CE) bits <= {bits[14:0], D};
    end else begin : rising
      always @(posedge CLK) if (CE) bits <= {bits[14:0], D};
    end
  endgenerate
endmodule
