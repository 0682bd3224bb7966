// SPDX-License-Identifier: Apache-2.0
// A truth table of 3 inputs: INIT[n] is the output for the inputs read as the number n.
`timescale 1ps / 1ps
module LUT3 #(
    parameter [7:0] INIT = 8'h00
) (
    output O,
    input I0,
    input I1,
    input I2
);
`ifdef VERILATOR
  // One indexed constant: several times faster there than the tree.
  assign O = INIT[{I2, I1, I0}];
`else
  // A tree of multiplexers: an unknown input that does not matter leaves the output known.
  wire [3:0] of4 = I2 ? INIT[7:4] : INIT[3:0];
  wire [1:0] of2 = I1 ? of4[3:2] : of4[1:0];
  assign O = I0 ? of2[1] : of2[0];
`endif
endmodule
