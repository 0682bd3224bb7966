// SPDX-License-Identifier: Apache-2.0
// A truth table of 1 input: INIT[n] is the output for the inputs read as the number n.
`timescale 1ps / 1ps
module LUT1 #(
    parameter [1:0] INIT = 2'b00
) (
    output O,
    input I0
);
  assign O = I0 ? INIT[1] : INIT[0];
endmodule
