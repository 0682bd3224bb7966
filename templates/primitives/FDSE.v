// SPDX-License-Identifier: Apache-2.0
// A flip-flop with clock enable and synchronous set, which beats the enable. It powers up at INIT.
`timescale 1ps / 1ps
module FDSE #(
    parameter [0:0] INIT = 1'b1,
    parameter [0:0] IS_C_INVERTED = 1'b0,
    parameter [0:0] IS_D_INVERTED = 1'b0,
    parameter [0:0] IS_S_INVERTED = 1'b0
) (
    output reg Q,
    input C,
    input CE,
    input D,
    input S
);
  wire set = S ^ IS_S_INVERTED;
  wire data = D ^ IS_D_INVERTED;

  initial Q = INIT;

  generate
    if (IS_C_INVERTED) begin : falling
      always @(negedge C)
        if (set) Q <= 1'b1;
        else if (CE) Q <= data;
    end else begin : rising
      always @(posedge C)
        if (set) Q <= 1'b1;
        else if (CE) Q <= data;
    end
  endgenerate
endmodule
