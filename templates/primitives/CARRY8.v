// SPDX-License-Identifier: Apache-2.0
// Eight positions of a carry chain: O is the sum bit, CO the carry out of each position. DUAL_CY4 cuts it
// into two chains of four; the upper one starts from CI_TOP.
`timescale 1ps / 1ps
module CARRY8 #(
    parameter CARRY_TYPE = "SINGLE_CY8"
) (
    output [7:0] CO,
    output [7:0] O,
    input CI,
    input CI_TOP,
    input [7:0] DI,
    input [7:0] S
);
`ifdef VERILATOR
  // The chain is an adder of DI and DI ^ S: one addition there instead of four selections.
  wire [4:0] low = {1'b0, DI[3:0]} + {1'b0, DI[3:0] ^ S[3:0]} + {4'b0000, CI};
  wire middle = (CARRY_TYPE == "DUAL_CY4") ? CI_TOP : low[4];
  wire [4:0] high = {1'b0, DI[7:4]} + {1'b0, DI[7:4] ^ S[7:4]} + {4'b0000, middle};
  assign O = {high[3:0], low[3:0]};
  assign CO = {high[4], high[3:1] ^ S[7:5], low[4], low[3:1] ^ S[3:1]};
`else
  // Position by position: no bit depends on a position above it.
  wire c1 = S[0] ? CI : DI[0];
  wire c2 = S[1] ? c1 : DI[1];
  wire c3 = S[2] ? c2 : DI[2];
  wire c4 = S[3] ? c3 : DI[3];
  wire middle = (CARRY_TYPE == "DUAL_CY4") ? CI_TOP : c4;
  wire c5 = S[4] ? middle : DI[4];
  wire c6 = S[5] ? c5 : DI[5];
  wire c7 = S[6] ? c6 : DI[6];
  wire c8 = S[7] ? c7 : DI[7];
  assign O = S ^ {c7, c6, c5, middle, c3, c2, c1, CI};
  assign CO = {c8, c7, c6, c5, c4, c3, c2, c1};
`endif
endmodule
