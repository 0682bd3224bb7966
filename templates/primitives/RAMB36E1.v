// SPDX-License-Identifier: Apache-2.0
// Block RAM of 32 Kbit with a parity bit a byte and two ports, each with its clock. Widths, modes and resets are
// the vendor's; what two ports make of the same bits is defined where one reads them and the other's mode is
// READ_FIRST. Without cascade, error correction and FIFO; their pins and parameters are left out.
// RAMB18E1.v is half of it, with OF_RAMB18E1 = 1.
`timescale 1ps / 1ps

module RAMB36E1 #(
    parameter integer DOA_REG = 0,
    parameter integer DOB_REG = 0,
    parameter [255:0] INIT_00 = 256'd0,
    parameter [255:0] INIT_01 = 256'd0,
    parameter [255:0] INIT_02 = 256'd0,
    parameter [255:0] INIT_03 = 256'd0,
    parameter [255:0] INIT_04 = 256'd0,
    parameter [255:0] INIT_05 = 256'd0,
    parameter [255:0] INIT_06 = 256'd0,
    parameter [255:0] INIT_07 = 256'd0,
    parameter [255:0] INIT_08 = 256'd0,
    parameter [255:0] INIT_09 = 256'd0,
    parameter [255:0] INIT_0A = 256'd0,
    parameter [255:0] INIT_0B = 256'd0,
    parameter [255:0] INIT_0C = 256'd0,
    parameter [255:0] INIT_0D = 256'd0,
    parameter [255:0] INIT_0E = 256'd0,
    parameter [255:0] INIT_0F = 256'd0,
    parameter [255:0] INIT_10 = 256'd0,
    parameter [255:0] INIT_11 = 256'd0,
    parameter [255:0] INIT_12 = 256'd0,
    parameter [255:0] INIT_13 = 256'd0,
    parameter [255:0] INIT_14 = 256'd0,
    parameter [255:0] INIT_15 = 256'd0,
    parameter [255:0] INIT_16 = 256'd0,
    parameter [255:0] INIT_17 = 256'd0,
    parameter [255:0] INIT_18 = 256'd0,
    parameter [255:0] INIT_19 = 256'd0,
    parameter [255:0] INIT_1A = 256'd0,
    parameter [255:0] INIT_1B = 256'd0,
    parameter [255:0] INIT_1C = 256'd0,
    parameter [255:0] INIT_1D = 256'd0,
    parameter [255:0] INIT_1E = 256'd0,
    parameter [255:0] INIT_1F = 256'd0,
    parameter [255:0] INIT_20 = 256'd0,
    parameter [255:0] INIT_21 = 256'd0,
    parameter [255:0] INIT_22 = 256'd0,
    parameter [255:0] INIT_23 = 256'd0,
    parameter [255:0] INIT_24 = 256'd0,
    parameter [255:0] INIT_25 = 256'd0,
    parameter [255:0] INIT_26 = 256'd0,
    parameter [255:0] INIT_27 = 256'd0,
    parameter [255:0] INIT_28 = 256'd0,
    parameter [255:0] INIT_29 = 256'd0,
    parameter [255:0] INIT_2A = 256'd0,
    parameter [255:0] INIT_2B = 256'd0,
    parameter [255:0] INIT_2C = 256'd0,
    parameter [255:0] INIT_2D = 256'd0,
    parameter [255:0] INIT_2E = 256'd0,
    parameter [255:0] INIT_2F = 256'd0,
    parameter [255:0] INIT_30 = 256'd0,
    parameter [255:0] INIT_31 = 256'd0,
    parameter [255:0] INIT_32 = 256'd0,
    parameter [255:0] INIT_33 = 256'd0,
    parameter [255:0] INIT_34 = 256'd0,
    parameter [255:0] INIT_35 = 256'd0,
    parameter [255:0] INIT_36 = 256'd0,
    parameter [255:0] INIT_37 = 256'd0,
    parameter [255:0] INIT_38 = 256'd0,
    parameter [255:0] INIT_39 = 256'd0,
    parameter [255:0] INIT_3A = 256'd0,
    parameter [255:0] INIT_3B = 256'd0,
    parameter [255:0] INIT_3C = 256'd0,
    parameter [255:0] INIT_3D = 256'd0,
    parameter [255:0] INIT_3E = 256'd0,
    parameter [255:0] INIT_3F = 256'd0,
    parameter [255:0] INIT_40 = 256'd0,
    parameter [255:0] INIT_41 = 256'd0,
    parameter [255:0] INIT_42 = 256'd0,
    parameter [255:0] INIT_43 = 256'd0,
    parameter [255:0] INIT_44 = 256'd0,
    parameter [255:0] INIT_45 = 256'd0,
    parameter [255:0] INIT_46 = 256'd0,
    parameter [255:0] INIT_47 = 256'd0,
    parameter [255:0] INIT_48 = 256'd0,
    parameter [255:0] INIT_49 = 256'd0,
    parameter [255:0] INIT_4A = 256'd0,
    parameter [255:0] INIT_4B = 256'd0,
    parameter [255:0] INIT_4C = 256'd0,
    parameter [255:0] INIT_4D = 256'd0,
    parameter [255:0] INIT_4E = 256'd0,
    parameter [255:0] INIT_4F = 256'd0,
    parameter [255:0] INIT_50 = 256'd0,
    parameter [255:0] INIT_51 = 256'd0,
    parameter [255:0] INIT_52 = 256'd0,
    parameter [255:0] INIT_53 = 256'd0,
    parameter [255:0] INIT_54 = 256'd0,
    parameter [255:0] INIT_55 = 256'd0,
    parameter [255:0] INIT_56 = 256'd0,
    parameter [255:0] INIT_57 = 256'd0,
    parameter [255:0] INIT_58 = 256'd0,
    parameter [255:0] INIT_59 = 256'd0,
    parameter [255:0] INIT_5A = 256'd0,
    parameter [255:0] INIT_5B = 256'd0,
    parameter [255:0] INIT_5C = 256'd0,
    parameter [255:0] INIT_5D = 256'd0,
    parameter [255:0] INIT_5E = 256'd0,
    parameter [255:0] INIT_5F = 256'd0,
    parameter [255:0] INIT_60 = 256'd0,
    parameter [255:0] INIT_61 = 256'd0,
    parameter [255:0] INIT_62 = 256'd0,
    parameter [255:0] INIT_63 = 256'd0,
    parameter [255:0] INIT_64 = 256'd0,
    parameter [255:0] INIT_65 = 256'd0,
    parameter [255:0] INIT_66 = 256'd0,
    parameter [255:0] INIT_67 = 256'd0,
    parameter [255:0] INIT_68 = 256'd0,
    parameter [255:0] INIT_69 = 256'd0,
    parameter [255:0] INIT_6A = 256'd0,
    parameter [255:0] INIT_6B = 256'd0,
    parameter [255:0] INIT_6C = 256'd0,
    parameter [255:0] INIT_6D = 256'd0,
    parameter [255:0] INIT_6E = 256'd0,
    parameter [255:0] INIT_6F = 256'd0,
    parameter [255:0] INIT_70 = 256'd0,
    parameter [255:0] INIT_71 = 256'd0,
    parameter [255:0] INIT_72 = 256'd0,
    parameter [255:0] INIT_73 = 256'd0,
    parameter [255:0] INIT_74 = 256'd0,
    parameter [255:0] INIT_75 = 256'd0,
    parameter [255:0] INIT_76 = 256'd0,
    parameter [255:0] INIT_77 = 256'd0,
    parameter [255:0] INIT_78 = 256'd0,
    parameter [255:0] INIT_79 = 256'd0,
    parameter [255:0] INIT_7A = 256'd0,
    parameter [255:0] INIT_7B = 256'd0,
    parameter [255:0] INIT_7C = 256'd0,
    parameter [255:0] INIT_7D = 256'd0,
    parameter [255:0] INIT_7E = 256'd0,
    parameter [255:0] INIT_7F = 256'd0,
    parameter [255:0] INITP_00 = 256'd0,
    parameter [255:0] INITP_01 = 256'd0,
    parameter [255:0] INITP_02 = 256'd0,
    parameter [255:0] INITP_03 = 256'd0,
    parameter [255:0] INITP_04 = 256'd0,
    parameter [255:0] INITP_05 = 256'd0,
    parameter [255:0] INITP_06 = 256'd0,
    parameter [255:0] INITP_07 = 256'd0,
    parameter [255:0] INITP_08 = 256'd0,
    parameter [255:0] INITP_09 = 256'd0,
    parameter [255:0] INITP_0A = 256'd0,
    parameter [255:0] INITP_0B = 256'd0,
    parameter [255:0] INITP_0C = 256'd0,
    parameter [255:0] INITP_0D = 256'd0,
    parameter [255:0] INITP_0E = 256'd0,
    parameter [255:0] INITP_0F = 256'd0,
    parameter [35:0] INIT_A = 36'd0,
    parameter [35:0] INIT_B = 36'd0,
    parameter [0:0] IS_CLKARDCLK_INVERTED = 1'b0,
    parameter [0:0] IS_CLKBWRCLK_INVERTED = 1'b0,
    parameter [0:0] IS_ENARDEN_INVERTED = 1'b0,
    parameter [0:0] IS_ENBWREN_INVERTED = 1'b0,
    parameter [0:0] IS_RSTRAMARSTRAM_INVERTED = 1'b0,
    parameter [0:0] IS_RSTRAMB_INVERTED = 1'b0,
    parameter [0:0] IS_RSTREGARSTREG_INVERTED = 1'b0,
    parameter [0:0] IS_RSTREGB_INVERTED = 1'b0,
    parameter RAM_MODE = "TDP",
    parameter integer READ_WIDTH_A = 0,
    parameter integer READ_WIDTH_B = 0,
    parameter RSTREG_PRIORITY_A = "RSTREG",
    parameter RSTREG_PRIORITY_B = "RSTREG",
    parameter [35:0] SRVAL_A = 36'd0,
    parameter [35:0] SRVAL_B = 36'd0,
    parameter WRITE_MODE_A = "WRITE_FIRST",
    parameter WRITE_MODE_B = "WRITE_FIRST",
    parameter integer WRITE_WIDTH_A = 0,
    parameter integer WRITE_WIDTH_B = 0,
    parameter [0:0] OF_RAMB18E1 = 1'b0  // not the vendor's
) (
    output [31:0] DOADO,
    output [31:0] DOBDO,
    output [3:0] DOPADOP,
    output [3:0] DOPBDOP,
    input [15:0] ADDRARDADDR,
    input [15:0] ADDRBWRADDR,
    input CLKARDCLK,
    input CLKBWRCLK,
    input [31:0] DIADI,
    input [31:0] DIBDI,
    input [3:0] DIPADIP,
    input [3:0] DIPBDIP,
    input ENARDEN,
    input ENBWREN,
    input REGCEAREGCE,
    input REGCEB,
    input RSTRAMARSTRAM,
    input RSTRAMB,
    input RSTREGARSTREG,
    input RSTREGB,
    input [3:0] WEA,
    input [7:0] WEBWE
);
  /*verilator no_inline_module*/

  // Texts of different length are compared here and nowhere else.
  // verilator lint_off WIDTH
  localparam SDP = RAM_MODE == "SDP";
  localparam FIRST_A = WRITE_MODE_A == "WRITE_FIRST";
  localparam FIRST_B = WRITE_MODE_B == "WRITE_FIRST";
  localparam KEEP_A = WRITE_MODE_A == "NO_CHANGE";
  localparam KEEP_B = WRITE_MODE_B == "NO_CHANGE";
  localparam ENABLED_A = RSTREG_PRIORITY_A == "REGCE";
  localparam ENABLED_B = RSTREG_PRIORITY_B == "REGCE";
  // verilator lint_on WIDTH

  // Of a port with this width: its data bits, and those of them that have a parity bit each.
  function [63:0] data_of(input integer width);
    data_of = width == 0 ? 64'd0 : {64{1'b1}} >> (64 - (width < 9 ? width : width / 9 * 8));
  endfunction
  function [7:0] parity_of(input integer width);
    parity_of = width < 9 ? 8'd0 : {8{1'b1}} >> (8 - width / 9);
  endfunction
  localparam [63:0] READ_A = data_of(READ_WIDTH_A), READ_B = data_of(READ_WIDTH_B);
  localparam [63:0] WRITE_A = data_of(WRITE_WIDTH_A), WRITE_B = data_of(WRITE_WIDTH_B);
  localparam [7:0] READ_PA = parity_of(READ_WIDTH_A), READ_PB = parity_of(READ_WIDTH_B);
  localparam [7:0] WRITE_PA = parity_of(WRITE_WIDTH_A), WRITE_PB = parity_of(WRITE_WIDTH_B);
  // Both halves of the outputs or inputs are one word.
  localparam WIDE_READ = SDP && READ_WIDTH_A > 36 / (OF_RAMB18E1 ? 2 : 1);
  localparam WIDE_WRITE = SDP && WRITE_WIDTH_B > 36 / (OF_RAMB18E1 ? 2 : 1);

  // A value of an output as data and parity: the parity stands above the data.
  function [71:0] split(input integer width, input [35:0] value);
    split = width < 9 ? {8'd0, 28'd0, value} :
            width == 9 ? {7'd0, value[8], 56'd0, value[7:0]} :
            width == 18 ? {6'd0, value[17:16], 48'd0, value[15:0]} :
            {4'd0, value[35:32], 32'd0, value[31:0]};
  endfunction
  function [71:0] both(input [35:0] low, input [35:0] high);
    both = OF_RAMB18E1 ? {4'd0, high[17:16], low[17:16], 32'd0, high[15:0], low[15:0]}
                       : {high[35:32], low[35:32], high[31:0], low[31:0]};
  endfunction
  localparam [71:0] BEGIN_A = WIDE_READ ? both(INIT_A, INIT_B) : split(READ_WIDTH_A, INIT_A);
  localparam [71:0] BEGIN_B = split(READ_WIDTH_B, INIT_B);
  localparam [71:0] RESET_A = WIDE_READ ? both(SRVAL_A, SRVAL_B) : split(READ_WIDTH_A, SRVAL_A);
  localparam [71:0] RESET_B = split(READ_WIDTH_B, SRVAL_B);

  wire clk_a = CLKARDCLK ^ IS_CLKARDCLK_INVERTED;
  wire clk_b = CLKBWRCLK ^ IS_CLKBWRCLK_INVERTED;
  wire en_a = ENARDEN ^ IS_ENARDEN_INVERTED;
  wire en_b = ENBWREN ^ IS_ENBWREN_INVERTED;
  wire rstram_a = RSTRAMARSTRAM ^ IS_RSTRAMARSTRAM_INVERTED;
  wire rstram_b = RSTRAMB ^ IS_RSTRAMB_INVERTED;
  wire rstreg_a = RSTREGARSTREG ^ IS_RSTREGARSTREG_INVERTED;
  wire rstreg_b = RSTREGB ^ IS_RSTREGB_INVERTED;

  // The place in a row that an access begins at: bits below the width do not count.
  wire [14:0] at_a = ADDRARDADDR[14:0], at_b = ADDRBWRADDR[14:0];
  wire [5:0] read_at_a = at_a[5:0] & ~{READ_A[32], READ_A[16], READ_A[8], READ_A[4], READ_A[2], READ_A[1]};
  wire [5:0] read_at_b = at_b[5:0] & ~{READ_B[32], READ_B[16], READ_B[8], READ_B[4], READ_B[2], READ_B[1]};
  wire [5:0] write_at_a = at_a[5:0] & ~{WRITE_A[32], WRITE_A[16], WRITE_A[8], WRITE_A[4], WRITE_A[2], WRITE_A[1]};
  wire [5:0] write_at_b = at_b[5:0] & ~{WRITE_B[32], WRITE_B[16], WRITE_B[8], WRITE_B[4], WRITE_B[2], WRITE_B[1]};

  // What is written, and which bits of the row it takes.
  function [63:0] bits_of(input [7:0] bytes);
    bits_of = {{8{bytes[7]}}, {8{bytes[6]}}, {8{bytes[5]}}, {8{bytes[4]}},
               {8{bytes[3]}}, {8{bytes[2]}}, {8{bytes[1]}}, {8{bytes[0]}}};
  endfunction
  wire [63:0] in_a = {32'd0, DIADI};
  wire [7:0] parity_in_a = {4'd0, DIPADIP};
  wire [63:0] in_b = !WIDE_WRITE ? {32'd0, DIBDI} : OF_RAMB18E1 ? {32'd0, DIBDI[15:0], DIADI[15:0]} : {DIBDI, DIADI};
  wire [7:0] parity_in_b = !WIDE_WRITE ? {4'd0, DIPBDIP} :
                           OF_RAMB18E1 ? {4'd0, DIPBDIP[1:0], DIPADIP[1:0]} : {DIPBDIP, DIPADIP};
  wire [71:0] data_a = {parity_in_a << write_at_a[5:3], in_a << write_at_a};
  wire [71:0] data_b = {parity_in_b << write_at_b[5:3], in_b << write_at_b};
  wire [7:0] bytes_a = {4'd0, WEA};
  wire [63:0] taken_a = bits_of(bytes_a) & WRITE_A, taken_b = bits_of(WEBWE) & WRITE_B;
  wire [71:0] mask_a = {(bytes_a & WRITE_PA) << write_at_a[5:3], taken_a << write_at_a};
  wire [71:0] mask_b = {(WEBWE & WRITE_PB) << write_at_b[5:3], taken_b << write_at_b};
  wire writes_a = |taken_a, writes_b = |taken_b;

  // Rows of 64 bits of data with their 8 bits of parity. Each access lies inside of one. Bits are written on
  // their own, for both ports may write to one row.
  // verilator lint_off MULTIDRIVEN
  reg [71:0] rows[0:511];
  // verilator lint_on MULTIDRIVEN
`ifndef SYNTHESIS
  localparam [32767:0] DATA = {
    INIT_7F, INIT_7E, INIT_7D, INIT_7C, INIT_7B, INIT_7A, INIT_79, INIT_78,
    INIT_77, INIT_76, INIT_75, INIT_74, INIT_73, INIT_72, INIT_71, INIT_70,
    INIT_6F, INIT_6E, INIT_6D, INIT_6C, INIT_6B, INIT_6A, INIT_69, INIT_68,
    INIT_67, INIT_66, INIT_65, INIT_64, INIT_63, INIT_62, INIT_61, INIT_60,
    INIT_5F, INIT_5E, INIT_5D, INIT_5C, INIT_5B, INIT_5A, INIT_59, INIT_58,
    INIT_57, INIT_56, INIT_55, INIT_54, INIT_53, INIT_52, INIT_51, INIT_50,
    INIT_4F, INIT_4E, INIT_4D, INIT_4C, INIT_4B, INIT_4A, INIT_49, INIT_48,
    INIT_47, INIT_46, INIT_45, INIT_44, INIT_43, INIT_42, INIT_41, INIT_40,
    INIT_3F, INIT_3E, INIT_3D, INIT_3C, INIT_3B, INIT_3A, INIT_39, INIT_38,
    INIT_37, INIT_36, INIT_35, INIT_34, INIT_33, INIT_32, INIT_31, INIT_30,
    INIT_2F, INIT_2E, INIT_2D, INIT_2C, INIT_2B, INIT_2A, INIT_29, INIT_28,
    INIT_27, INIT_26, INIT_25, INIT_24, INIT_23, INIT_22, INIT_21, INIT_20,
    INIT_1F, INIT_1E, INIT_1D, INIT_1C, INIT_1B, INIT_1A, INIT_19, INIT_18,
    INIT_17, INIT_16, INIT_15, INIT_14, INIT_13, INIT_12, INIT_11, INIT_10,
    INIT_0F, INIT_0E, INIT_0D, INIT_0C, INIT_0B, INIT_0A, INIT_09, INIT_08,
    INIT_07, INIT_06, INIT_05, INIT_04, INIT_03, INIT_02, INIT_01, INIT_00
  };
  localparam [4095:0] PARITY = {
    INITP_0F, INITP_0E, INITP_0D, INITP_0C, INITP_0B, INITP_0A, INITP_09, INITP_08,
    INITP_07, INITP_06, INITP_05, INITP_04, INITP_03, INITP_02, INITP_01, INITP_00
  };
  integer r;
  initial for (r = 0; r < 512; r = r + 1) rows[r] = {PARITY[8*r+:8], DATA[64*r+:64]};
`endif
  generate
    genvar g;
    for (g = 0; g < 72; g = g + 1) begin : column
      always @(posedge clk_a) if (en_a && mask_a[g]) rows[at_a[14:6]][g] <= data_a[g];
      always @(posedge clk_b) if (en_b && mask_b[g]) rows[at_b[14:6]][g] <= data_b[g];
    end
  endgenerate
  wire [71:0] old_a = rows[at_a[14:6]], old_b = rows[at_b[14:6]];

  // What is read, with the port's own write if it comes first.
  wire [71:0] row_a = FIRST_A ? (old_a & ~mask_a) | (data_a & mask_a) : old_a;
  wire [71:0] row_b = FIRST_B ? (old_b & ~mask_b) | (data_b & mask_b) : old_b;
  wire [71:0] read_a = {(row_a[71:64] >> read_at_a[5:3]) & READ_PA, (row_a[63:0] >> read_at_a) & READ_A};
  wire [71:0] read_b = {(row_b[71:64] >> read_at_b[5:3]) & READ_PB, (row_b[63:0] >> read_at_b) & READ_B};
  reg [71:0] latch_a = BEGIN_A, latch_b = BEGIN_B;
  always @(posedge clk_a)
    if (en_a) begin
      if (rstram_a) latch_a <= RESET_A;
      else if (!(KEEP_A && writes_a)) latch_a <= read_a;
    end
  always @(posedge clk_b)
    if (en_b) begin
      if (rstram_b) latch_b <= RESET_B;
      else if (!(KEEP_B && writes_b)) latch_b <= read_b;
    end

  wire [71:0] out_a, out_b;
  generate
    if (DOA_REG != 0) begin : with_doa_reg
      reg [71:0] q = BEGIN_A;
      always @(posedge clk_a)
        if (rstreg_a && (!ENABLED_A || REGCEAREGCE)) q <= RESET_A;
        else if (REGCEAREGCE) q <= latch_a;
      assign out_a = q;
    end else begin : no_doa_reg
      assign out_a = latch_a;
    end
    if (DOB_REG != 0) begin : with_dob_reg
      reg [71:0] q = BEGIN_B;
      always @(posedge clk_b)
        if (rstreg_b && (!ENABLED_B || REGCEB)) q <= RESET_B;
        else if (REGCEB) q <= latch_b;
      assign out_b = q;
    end else begin : no_dob_reg
      assign out_b = latch_b;
    end
  endgenerate
  assign DOADO = out_a[31:0];
  assign DOPADOP = out_a[67:64];
  assign DOBDO = WIDE_READ ? (OF_RAMB18E1 ? {16'd0, out_a[31:16]} : out_a[63:32]) : out_b[31:0];
  assign DOPBDOP = WIDE_READ ? (OF_RAMB18E1 ? {2'd0, out_a[67:66]} : out_a[71:68]) : out_b[67:64];

  // Bit 15 of an address belongs to cascades.
  wire unused = &{1'b0, ADDRARDADDR[15], ADDRBWRADDR[15], out_a, out_b, REGCEAREGCE, REGCEB, rstreg_a, rstreg_b,
                  writes_a, writes_b, DIADI, DIPADIP, 1'b0};
endmodule
