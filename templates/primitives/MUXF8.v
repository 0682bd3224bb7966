// SPDX-License-Identifier: Apache-2.0
// The multiplexer that joins two MUXF7 of a slice.
`timescale 1ps / 1ps
module MUXF8 (
    output O,
    input I0,
    input I1,
    input S
);
  assign O = S ? I1 : I0;
endmodule
