// SPDX-License-Identifier: Apache-2.0
// Four positions of a carry chain: O is the sum bit, CO the carry out of each position. The carry enters
// from the block below (CI) or from the fabric (CYINIT); the unused one of the two is 0.
`timescale 1ps / 1ps
module CARRY4 (
    output [3:0] CO,
    output [3:0] O,
    input CI,
    input CYINIT,
    input [3:0] DI,
    input [3:0] S
);
`ifdef VERILATOR
  // The chain is an adder of DI and DI ^ S: one addition there instead of four selections.
  wire [4:0] sum = {1'b0, DI} + {1'b0, DI ^ S} + {4'b0000, CI | CYINIT};
  assign O = sum[3:0];
  assign CO = {sum[4], sum[3:1] ^ S[3:1]};
`else
  // Position by position: no bit depends on a position above it.
  wire c0 = CI | CYINIT;
  wire c1 = S[0] ? c0 : DI[0];
  wire c2 = S[1] ? c1 : DI[1];
  wire c3 = S[2] ? c2 : DI[2];
  wire c4 = S[3] ? c3 : DI[3];
  assign O = S ^ {c3, c2, c1, c0};
  assign CO = {c4, c3, c2, c1};
`endif
endmodule
