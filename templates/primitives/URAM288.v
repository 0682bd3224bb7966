// SPDX-License-Identifier: Apache-2.0
// 4,096 words of 72 bits with two ports on one clock. Each port reads or writes in a clock; port A acts before
// port B. It powers up at 0. Without cascades, error correction and sleep; their pins are left out.
// Inputs change while the clock is low, so that a reset of either mode is seen at the next edge.
`timescale 1ps / 1ps
module URAM288 #(
    parameter BWE_MODE_A = "PARITY_INTERLEAVED",
    parameter BWE_MODE_B = "PARITY_INTERLEAVED",
    parameter IREG_PRE_A = "FALSE",
    parameter IREG_PRE_B = "FALSE",
    parameter [0:0] IS_CLK_INVERTED = 1'b0,
    parameter [0:0] IS_EN_A_INVERTED = 1'b0,
    parameter [0:0] IS_EN_B_INVERTED = 1'b0,
    parameter [0:0] IS_RDB_WR_A_INVERTED = 1'b0,
    parameter [0:0] IS_RDB_WR_B_INVERTED = 1'b0,
    parameter [0:0] IS_RST_A_INVERTED = 1'b0,
    parameter [0:0] IS_RST_B_INVERTED = 1'b0,
    parameter OREG_A = "FALSE",
    parameter OREG_B = "FALSE",
    parameter RST_MODE_A = "SYNC",
    parameter RST_MODE_B = "SYNC",
    parameter USE_EXT_CE_A = "FALSE",
    parameter USE_EXT_CE_B = "FALSE"
) (
    output [71:0] DOUT_A,
    output [71:0] DOUT_B,
    output RDACCESS_A,
    output RDACCESS_B,
    input [22:0] ADDR_A,
    input [22:0] ADDR_B,
    input [8:0] BWE_A,
    input [8:0] BWE_B,
    input CLK,
    input [71:0] DIN_A,
    input [71:0] DIN_B,
    input EN_A,
    input EN_B,
    input OREG_CE_A,
    input OREG_CE_B,
    input RDB_WR_A,
    input RDB_WR_B,
    input RST_A,
    input RST_B
);
  /*verilator no_inline_module*/

  // Texts of different length are compared here and nowhere else.
  // verilator lint_off WIDTH
  localparam INDEPENDENT_A = BWE_MODE_A == "PARITY_INDEPENDENT";
  localparam INDEPENDENT_B = BWE_MODE_B == "PARITY_INDEPENDENT";
  localparam PRE_A = IREG_PRE_A == "TRUE";
  localparam PRE_B = IREG_PRE_B == "TRUE";
  localparam POST_A = OREG_A == "TRUE";
  localparam POST_B = OREG_B == "TRUE";
  localparam ENABLED_A = USE_EXT_CE_A == "TRUE";
  localparam ENABLED_B = USE_EXT_CE_B == "TRUE";
  // verilator lint_on WIDTH

  wire clk = CLK ^ IS_CLK_INVERTED;
  wire rst_a = RST_A ^ IS_RST_A_INVERTED;
  wire rst_b = RST_B ^ IS_RST_B_INVERTED;
  wire load_a = !ENABLED_A || OREG_CE_A;
  wire load_b = !ENABLED_B || OREG_CE_B;

  // What each port is asked, now or a clock ago.
  wire [94:0] pins_a = {EN_A ^ IS_EN_A_INVERTED, RDB_WR_A ^ IS_RDB_WR_A_INVERTED, ADDR_A[11:0], BWE_A, DIN_A};
  wire [94:0] pins_b = {EN_B ^ IS_EN_B_INVERTED, RDB_WR_B ^ IS_RDB_WR_B_INVERTED, ADDR_B[11:0], BWE_B, DIN_B};
  wire en_a, en_b, wr_a, wr_b;
  wire [11:0] at_a, at_b;
  wire [8:0] bytes_a, bytes_b;
  wire [71:0] data_a, data_b;
  generate
    if (PRE_A) begin : with_pre_a
      reg [94:0] q = 95'd0;
      always @(posedge clk) q <= pins_a;
      assign {en_a, wr_a, at_a, bytes_a, data_a} = q;
    end else begin : no_pre_a
      assign {en_a, wr_a, at_a, bytes_a, data_a} = pins_a;
    end
    if (PRE_B) begin : with_pre_b
      reg [94:0] q = 95'd0;
      always @(posedge clk) q <= pins_b;
      assign {en_b, wr_b, at_b, bytes_b, data_b} = q;
    end else begin : no_pre_b
      assign {en_b, wr_b, at_b, bytes_b, data_b} = pins_b;
    end
  endgenerate

  wire [71:0] mask_a = {
    INDEPENDENT_A ? {8{bytes_a[8]}} : bytes_a[7:0], {8{bytes_a[7]}}, {8{bytes_a[6]}}, {8{bytes_a[5]}},
    {8{bytes_a[4]}}, {8{bytes_a[3]}}, {8{bytes_a[2]}}, {8{bytes_a[1]}}, {8{bytes_a[0]}}
  };
  wire [71:0] mask_b = {
    INDEPENDENT_B ? {8{bytes_b[8]}} : bytes_b[7:0], {8{bytes_b[7]}}, {8{bytes_b[6]}}, {8{bytes_b[5]}},
    {8{bytes_b[4]}}, {8{bytes_b[3]}}, {8{bytes_b[2]}}, {8{bytes_b[1]}}, {8{bytes_b[0]}}
  };

  reg [71:0] words[0:4095];
`ifndef SYNTHESIS
  integer i;
  initial for (i = 0; i < 4096; i = i + 1) words[i] = 72'd0;
`endif

  // Port B finds what port A has written in the same clock.
  wire [71:0] old_a = words[at_a];
  wire [71:0] new_a = (old_a & ~mask_a) | (data_a & mask_a);
  wire [71:0] old_b = (en_a && wr_a && at_a == at_b) ? new_a : words[at_b];
  wire [71:0] new_b = (old_b & ~mask_b) | (data_b & mask_b);
  always @(posedge clk) begin
    if (en_a && wr_a) words[at_a] <= new_a;
    if (en_b && wr_b) words[at_b] <= new_b;
  end

  reg [71:0] latch_a = 72'd0, latch_b = 72'd0;
  reg read_a = 1'b0, read_b = 1'b0;
  always @(posedge clk) begin
    read_a <= en_a && !wr_a && !rst_a;
    read_b <= en_b && !wr_b && !rst_b;
    if (rst_a) latch_a <= 72'd0;
    else if (en_a && !wr_a) latch_a <= old_a;
    if (rst_b) latch_b <= 72'd0;
    else if (en_b && !wr_b) latch_b <= old_b;
  end

  generate
    if (POST_A) begin : with_post_a
      reg [71:0] q = 72'd0;
      reg access = 1'b0;
      always @(posedge clk) begin
        access <= read_a && load_a && !rst_a;
        if (rst_a) q <= 72'd0;
        else if (load_a) q <= latch_a;
      end
      assign DOUT_A = q;
      assign RDACCESS_A = access;
    end else begin : no_post_a
      assign DOUT_A = latch_a;
      assign RDACCESS_A = read_a;
    end
    if (POST_B) begin : with_post_b
      reg [71:0] q = 72'd0;
      reg access = 1'b0;
      always @(posedge clk) begin
        access <= read_b && load_b && !rst_b;
        if (rst_b) q <= 72'd0;
        else if (load_b) q <= latch_b;
      end
      assign DOUT_B = q;
      assign RDACCESS_B = access;
    end else begin : no_post_b
      assign DOUT_B = latch_b;
      assign RDACCESS_B = read_b;
    end
  endgenerate

  // Upper bits of the addresses belong to cascades.
  wire unused = &{1'b0, ADDR_A[22:12], ADDR_B[22:12], RST_MODE_A, RST_MODE_B, load_a, load_b};
endmodule
