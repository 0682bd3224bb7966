// SPDX-License-Identifier: Apache-2.0
// The multiplexer that joins two LUT6 of a slice.
`timescale 1ps / 1ps
module MUXF7 (
    output O,
    input I0,
    input I1,
    input S
);
  assign O = S ? I1 : I0;
endmodule
