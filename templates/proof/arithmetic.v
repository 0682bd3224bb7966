// SPDX-License-Identifier: Apache-2.0
// For proofs: every product as rows of one build, so that products of the same words are the same
// gates. The last row of a signed B counts negative.

// techmap tries modules by name: these before its own.
(* techmap_celltype = "$mul" *)
module _00_kumiki_multiply (A, B, Y);
  parameter A_SIGNED = 0, B_SIGNED = 0, A_WIDTH = 1, B_WIDTH = 1, Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;

  wire [Y_WIDTH-1:0] a;
  generate
    if (A_WIDTH >= Y_WIDTH) assign a = A[Y_WIDTH-1:0];
    else assign a = {{(Y_WIDTH - A_WIDTH){A_SIGNED ? A[A_WIDTH-1] : 1'b0}}, A};
  endgenerate

  wire [Y_WIDTH*(B_WIDTH+1)-1:0] total;
  assign total[Y_WIDTH-1:0] = 0;
  genvar i;
  generate
    for (i = 0; i < B_WIDTH; i = i + 1) begin : row
      wire [Y_WIDTH-1:0] addend = B[i] ? a << i : 0;
      wire [Y_WIDTH-1:0] before = total[Y_WIDTH*i +: Y_WIDTH];
      if (B_SIGNED && i == B_WIDTH - 1) assign total[Y_WIDTH*(i+1) +: Y_WIDTH] = before - addend;
      else assign total[Y_WIDTH*(i+1) +: Y_WIDTH] = before + addend;
    end
  endgenerate
  assign Y = total[Y_WIDTH*B_WIDTH +: Y_WIDTH];
endmodule

// Carries one behind the other: sums of the same words in the same order are the same gates.
(* techmap_celltype = "$lcu" *)
module _00_kumiki_carries (P, G, CI, CO);
  parameter WIDTH = 1;
  input [WIDTH-1:0] P, G;
  input CI;
  output [WIDTH-1:0] CO;
  wire [WIDTH-1:0] before = {CO, CI};
  assign CO = G | (P & before);
endmodule
