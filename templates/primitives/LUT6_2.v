// SPDX-License-Identifier: Apache-2.0
// A LUT6 with its lower half brought out: O6 is the table of six inputs, O5 the lower 32 bits of it read by
// I4 to I0.
`timescale 1ps / 1ps
module LUT6_2 #(
    parameter [63:0] INIT = 64'h0000000000000000
) (
    output O5,
    output O6,
    input I0,
    input I1,
    input I2,
    input I3,
    input I4,
    input I5
);
`ifdef VERILATOR
  // Two indexed constants: several times faster there than the tree.
  assign O5 = INIT[{1'b0, I4, I3, I2, I1, I0}];
  assign O6 = INIT[{I5, I4, I3, I2, I1, I0}];
`else
  // A tree of multiplexers: an unknown input that does not matter leaves the outputs known.
  wire [31:0] of32 = I4 ? {INIT[63:48], INIT[31:16]} : {INIT[47:32], INIT[15:0]};
  wire [15:0] of16 = I3 ? {of32[31:24], of32[15:8]} : {of32[23:16], of32[7:0]};
  wire [7:0] of8 = I2 ? {of16[15:12], of16[7:4]} : {of16[11:8], of16[3:0]};
  wire [3:0] of4 = I1 ? {of8[7:6], of8[3:2]} : {of8[5:4], of8[1:0]};
  wire [1:0] halves = I0 ? {of4[3], of4[1]} : {of4[2], of4[0]};
  assign O5 = halves[0];
  assign O6 = I5 ? halves[1] : halves[0];
`endif
endmodule
