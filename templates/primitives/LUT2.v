// SPDX-License-Identifier: Apache-2.0
// A truth table of 2 inputs: INIT[n] is the output for the inputs read as the number n.
`timescale 1ps / 1ps
module LUT2 #(
    parameter [3:0] INIT = 4'h0
) (
    output O,
    input I0,
    input I1
);
`ifdef VERILATOR
  // One indexed constant: several times faster there than the tree.
  assign O = INIT[{I1, I0}];
`else
  // A tree of multiplexers: an unknown input that does not matter leaves the output known.
  wire [1:0] of2 = I1 ? INIT[3:2] : INIT[1:0];
  assign O = I0 ? of2[1] : of2[0];
`endif
endmodule
