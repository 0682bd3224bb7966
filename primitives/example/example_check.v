// SPDX-License-Identifier: Apache-2.0
// The example against values worked out by hand:
//
//        x     w   x * w   sum of products   x + w in 8 bits
//        3     5      15                15                 8
//       -7     2     -14                 1               251
//      127   127   16129             16130               254
//     -128  -128   16384             32514                 0
//      100  -100  -10000             22514                 0
//        0     9       0             22514                 9
//
// A register and no testbench, so that a synthesiser can evaluate it too.
`timescale 1ps / 1ps
module example_check (
    input clk,
    output done,
    output reg wrong
);
  // Operands of clock n, from the right; then what P holds after edge n + 2 and the sum after edge n + 3.
  localparam [47:0] X = {8'd0, 8'd100, 8'h80, 8'd127, 8'hf9, 8'd3};
  localparam [47:0] W = {8'd9, 8'h9c, 8'h80, 8'd127, 8'd2, 8'd5};
  localparam [95:0] PRODUCTS = {16'd22514, 16'd22514, 16'd32514, 16'd16130, 16'd1, 16'd15};
  localparam [47:0] SUMS = {8'd9, 8'd0, 8'd0, 8'd254, 8'd251, 8'd8};

  reg [3:0] edges;  // that there have been
  initial edges = 4'd0;
  initial wrong = 1'b0;
  assign done = edges >= 4'd10;

  wire [47:0] x = X >> {edges, 3'd0}, w = W >> {edges, 3'd0};
  wire [95:0] wanted = PRODUCTS >> {edges - 4'd3, 4'd0};
  wire [47:0] sums = SUMS >> {edges - 4'd4, 3'd0};
  wire [47:0] products;
  wire [7:0] sum;
  example dut (
      .clk(clk), .x(x[7:0]), .w(w[7:0]), .products(products), .sum(sum)
  );
  always @(posedge clk) begin
    if (!done) edges <= edges + 4'd1;
    if (edges >= 4'd3 && edges < 4'd9 && products != {32'd0, wanted[15:0]}) wrong <= 1'b1;
    if (edges >= 4'd4 && edges < 4'd10 && sum != sums[7:0]) wrong <= 1'b1;
  end
endmodule
