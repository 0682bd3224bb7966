// SPDX-License-Identifier: Apache-2.0
// A truth table of 6 inputs: INIT[n] is the output for the inputs read as the number n.
`timescale 1ps / 1ps
module LUT6 #(
    parameter [63:0] INIT = 64'h0000000000000000
) (
    output O,
    input I0,
    input I1,
    input I2,
    input I3,
    input I4,
    input I5
);
`ifdef VERILATOR
  // One indexed constant: several times faster there than the tree.
  assign O = INIT[{I5, I4, I3, I2, I1, I0}];
`else
  // A tree of multiplexers: an unknown input that does not matter leaves the output known.
  wire [31:0] of32 = I5 ? INIT[63:32] : INIT[31:0];
  wire [15:0] of16 = I4 ? of32[31:16] : of32[15:0];
  wire [7:0] of8 = I3 ? of16[15:8] : of16[7:0];
  wire [3:0] of4 = I2 ? of8[7:4] : of8[3:0];
  wire [1:0] of2 = I1 ? of4[3:2] : of4[1:0];
  assign O = I0 ? of2[1] : of2[0];
`endif
endmodule
