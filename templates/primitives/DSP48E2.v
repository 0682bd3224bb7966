// SPDX-License-Identifier: Apache-2.0
// DSP48E2 for simulation: the vendor's ports and parameters, our own description of what they do.
// One module a parameter set: what an attribute leaves out costs nothing.
// DSP48E1.v is this slice with OF_DSP48E1 = 1.
`timescale 1ps / 1ps

module DSP48E2 #(
    parameter integer ACASCREG = 1,
    parameter integer ADREG = 1,
    parameter integer ALUMODEREG = 1,
    parameter AMULTSEL = "A",
    parameter integer AREG = 1,
    parameter AUTORESET_PATDET = "NO_RESET",
    parameter AUTORESET_PRIORITY = "RESET",
    parameter A_INPUT = "DIRECT",
    parameter integer BCASCREG = 1,
    parameter BMULTSEL = "B",
    parameter integer BREG = 1,
    parameter B_INPUT = "DIRECT",
    parameter integer CARRYINREG = 1,
    parameter integer CARRYINSELREG = 1,
    parameter integer CREG = 1,
    parameter integer DREG = 1,
    parameter integer INMODEREG = 1,
    parameter [3:0] IS_ALUMODE_INVERTED = 4'b0000,
    parameter [0:0] IS_CARRYIN_INVERTED = 1'b0,
    parameter [0:0] IS_CLK_INVERTED = 1'b0,
    parameter [4:0] IS_INMODE_INVERTED = 5'b00000,
    parameter [8:0] IS_OPMODE_INVERTED = 9'b000000000,
    parameter [0:0] IS_RSTALLCARRYIN_INVERTED = 1'b0,
    parameter [0:0] IS_RSTALUMODE_INVERTED = 1'b0,
    parameter [0:0] IS_RSTA_INVERTED = 1'b0,
    parameter [0:0] IS_RSTB_INVERTED = 1'b0,
    parameter [0:0] IS_RSTCTRL_INVERTED = 1'b0,
    parameter [0:0] IS_RSTC_INVERTED = 1'b0,
    parameter [0:0] IS_RSTD_INVERTED = 1'b0,
    parameter [0:0] IS_RSTINMODE_INVERTED = 1'b0,
    parameter [0:0] IS_RSTM_INVERTED = 1'b0,
    parameter [0:0] IS_RSTP_INVERTED = 1'b0,
    parameter [47:0] MASK = 48'h3FFFFFFFFFFF,
    parameter integer MREG = 1,
    parameter integer OPMODEREG = 1,
    parameter [47:0] PATTERN = 48'h000000000000,
    parameter PREADDINSEL = "A",
    parameter integer PREG = 1,
    parameter [47:0] RND = 48'h000000000000,
    parameter SEL_MASK = "MASK",
    parameter SEL_PATTERN = "PATTERN",
    parameter USE_MULT = "MULTIPLY",
    parameter USE_PATTERN_DETECT = "NO_PATDET",
    parameter USE_SIMD = "ONE48",
    parameter USE_WIDEXOR = "FALSE",
    parameter XORSIMD = "XOR24_48_96",
    parameter [0:0] OF_DSP48E1 = 1'b0  // not the vendor's
) (
    output [29:0] ACOUT,
    output [17:0] BCOUT,
    output CARRYCASCOUT,
    output [3:0] CARRYOUT,
    output MULTSIGNOUT,
    output OVERFLOW,
    output [47:0] P,
    output PATTERNBDETECT,
    output PATTERNDETECT,
    output [47:0] PCOUT,
    output UNDERFLOW,
    output [7:0] XOROUT,
    input [29:0] A,
    input [29:0] ACIN,
    input [3:0] ALUMODE,
    input [17:0] B,
    input [17:0] BCIN,
    input [47:0] C,
    input CARRYCASCIN,
    input CARRYIN,
    input [2:0] CARRYINSEL,
    input CEA1,
    input CEA2,
    input CEAD,
    input CEALUMODE,
    input CEB1,
    input CEB2,
    input CEC,
    input CECARRYIN,
    input CECTRL,
    input CED,
    input CEINMODE,
    input CEM,
    input CEP,
    input CLK,
    input [26:0] D,
    input [4:0] INMODE,
    input MULTSIGNIN,
    input [8:0] OPMODE,
    input [47:0] PCIN,
    input RSTA,
    input RSTALLCARRYIN,
    input RSTALUMODE,
    input RSTB,
    input RSTC,
    input RSTCTRL,
    input RSTD,
    input RSTINMODE,
    input RSTM,
    input RSTP
);
  /*verilator no_inline_module*/

  // Texts of different length are compared here and nowhere else.
  // verilator lint_off WIDTH
  localparam A_CASCADE = A_INPUT == "CASCADE";
  localparam B_CASCADE = B_INPUT == "CASCADE";
  localparam A_FROM_AD = AMULTSEL == "AD";
  localparam B_FROM_AD = BMULTSEL == "AD";
  localparam PREADD_B = PREADDINSEL == "B";
  localparam MULT = USE_MULT != "NONE";
  localparam FOUR12 = USE_SIMD == "FOUR12";
  localparam TWO24 = USE_SIMD == "TWO24";
  localparam WIDEXOR = USE_WIDEXOR == "TRUE";
  localparam XOR12 = XORSIMD == "XOR12";
  localparam PATDET = USE_PATTERN_DETECT == "PATDET";
  localparam PATTERN_C = SEL_PATTERN == "C";
  localparam MASK_C = SEL_MASK == "C";
  localparam MASK_ROUND1 = SEL_MASK == "ROUNDING_MODE1";
  localparam MASK_ROUND2 = SEL_MASK == "ROUNDING_MODE2";
  localparam RESET_MATCH = AUTORESET_PATDET == "RESET_MATCH";
  localparam RESET_NOT_MATCH = AUTORESET_PATDET == "RESET_NOT_MATCH";
  localparam RESET_ENABLED = AUTORESET_PRIORITY == "CEP";
  // verilator lint_on WIDTH
  // D and AD are bypassed when nothing selects the pre-adder.
  localparam PREADD = MULT && (A_FROM_AD || B_FROM_AD);

  wire clk = CLK ^ IS_CLK_INVERTED;
  wire rsta = RSTA ^ IS_RSTA_INVERTED;
  wire rstb = RSTB ^ IS_RSTB_INVERTED;
  wire rstc = RSTC ^ IS_RSTC_INVERTED;
  wire rstd = RSTD ^ IS_RSTD_INVERTED;
  wire rstm = RSTM ^ IS_RSTM_INVERTED;
  wire rstp = RSTP ^ IS_RSTP_INVERTED;
  wire rstctrl = RSTCTRL ^ IS_RSTCTRL_INVERTED;
  wire rstinmode = RSTINMODE ^ IS_RSTINMODE_INVERTED;
  wire rstalumode = RSTALUMODE ^ IS_RSTALUMODE_INVERTED;
  wire rstcarry = RSTALLCARRYIN ^ IS_RSTALLCARRYIN_INVERTED;

  // A and B: A1 loads from the port, A2 from the port or from A1. A cascade that leaves one register
  // early shows A1.
  wire [29:0] a_in = A_CASCADE ? ACIN : A;
  wire [29:0] a1, a2;
  generate
    if (AREG == 0) begin : no_areg
      assign a1 = 30'd0;
      assign a2 = a_in;
    end else begin : with_areg
      reg [29:0] q1 = 30'd0, q2 = 30'd0;
      always @(posedge clk)
        if (rsta) begin
          q1 <= 30'd0;
          q2 <= 30'd0;
        end else begin
          if (CEA1) q1 <= a_in;
          if (CEA2) q2 <= (AREG == 2) ? q1 : a_in;
        end
      assign a1 = q1;
      assign a2 = q2;
    end
  endgenerate
  assign ACOUT = (ACASCREG == AREG) ? a2 : a1;

  wire [17:0] b_in = B_CASCADE ? BCIN : B;
  wire [17:0] b1, b2;
  generate
    if (BREG == 0) begin : no_breg
      assign b1 = 18'd0;
      assign b2 = b_in;
    end else begin : with_breg
      reg [17:0] q1 = 18'd0, q2 = 18'd0;
      always @(posedge clk)
        if (rstb) begin
          q1 <= 18'd0;
          q2 <= 18'd0;
        end else begin
          if (CEB1) q1 <= b_in;
          if (CEB2) q2 <= (BREG == 2) ? q1 : b_in;
        end
      assign b1 = q1;
      assign b2 = q2;
    end
  endgenerate
  assign BCOUT = (BCASCREG == BREG) ? b2 : b1;

  wire [47:0] c;
  generate
    if (CREG == 0) begin : no_creg
      assign c = C;
    end else begin : with_creg
      reg [47:0] q = 48'd0;
      always @(posedge clk)
        if (rstc) q <= 48'd0;
        else if (CEC) q <= C;
      assign c = q;
    end
  endgenerate

  // Dynamic controls; the inverters stand before the registers.
  wire [4:0] inmode_in = INMODE ^ IS_INMODE_INVERTED;
  wire [4:0] inmode;
  generate
    if (INMODEREG == 0) begin : no_inmodereg
      assign inmode = inmode_in;
    end else begin : with_inmodereg
      reg [4:0] q = 5'd0;
      always @(posedge clk)
        if (rstinmode) q <= 5'd0;
        else if (CEINMODE) q <= inmode_in;
      assign inmode = q;
    end
  endgenerate

  wire [8:0] opmode_in = OPMODE ^ IS_OPMODE_INVERTED;
  wire [8:0] opmode;
  generate
    if (OPMODEREG == 0) begin : no_opmodereg
      assign opmode = opmode_in;
    end else begin : with_opmodereg
      reg [8:0] q = 9'd0;
      always @(posedge clk)
        if (rstctrl) q <= 9'd0;
        else if (CECTRL) q <= opmode_in;
      assign opmode = q;
    end
  endgenerate

  wire [3:0] alumode_in = ALUMODE ^ IS_ALUMODE_INVERTED;
  wire [3:0] alumode;
  generate
    if (ALUMODEREG == 0) begin : no_alumodereg
      assign alumode = alumode_in;
    end else begin : with_alumodereg
      reg [3:0] q = 4'd0;
      always @(posedge clk)
        if (rstalumode) q <= 4'd0;
        else if (CEALUMODE) q <= alumode_in;
      assign alumode = q;
    end
  endgenerate

  wire [2:0] carryinsel;
  generate
    if (CARRYINSELREG == 0) begin : no_carryinselreg
      assign carryinsel = CARRYINSEL;
    end else begin : with_carryinselreg
      reg [2:0] q = 3'd0;
      always @(posedge clk)
        if (rstctrl) q <= 3'd0;
        else if (CECTRL) q <= CARRYINSEL;
      assign carryinsel = q;
    end
  endgenerate

  wire carryin_in = CARRYIN ^ IS_CARRYIN_INVERTED;
  wire carryin;
  generate
    if (CARRYINREG == 0) begin : no_carryinreg
      assign carryin = carryin_in;
    end else begin : with_carryinreg
      reg q = 1'b0;
      always @(posedge clk)
        if (rstcarry) q <= 1'b0;
        else if (CECARRYIN) q <= carryin_in;
      assign carryin = q;
    end
  endgenerate

  // Pre-adder: D +- A or D +- B, 27 bits, wraps. A DSP48E1 has 25, which are sign-extended here.
  wire [26:0] a_low = (!PREADD_B && inmode[1]) ? 27'd0 : inmode[0] ? a1[26:0] : a2[26:0];
  wire [26:0] a_port = OF_DSP48E1 ? {{3{a_low[24]}}, a_low[23:0]} : a_low;
  wire [17:0] b_port = (PREADD_B && inmode[1]) ? 18'd0 : inmode[4] ? b1 : b2;
  wire [26:0] d, ad_sum, ad;
  wire [26:0] ad_low;
  wire [26:0] d_gated = inmode[2] ? d : 27'd0;
  wire [26:0] other = PREADD_B ? {{9{b_port[17]}}, b_port} : a_port;
  assign ad_low = inmode[3] ? d_gated - other : d_gated + other;
  assign ad_sum = OF_DSP48E1 ? {{3{ad_low[24]}}, ad_low[23:0]} : ad_low;
  generate
    if (PREADD && DREG != 0) begin : with_dreg
      reg [26:0] q = 27'd0;
      always @(posedge clk)
        if (rstd) q <= 27'd0;
        else if (CED) q <= D;
      assign d = q;
    end else begin : no_dreg
      assign d = D;
    end
    if (PREADD && ADREG != 0) begin : with_adreg
      reg [26:0] q = 27'd0;
      always @(posedge clk)
        if (rstd) q <= 27'd0;
        else if (CEAD) q <= ad_sum;
      assign ad = q;
    end else begin : no_adreg
      assign ad = ad_sum;
    end
  endgenerate

  // The product leaves as two words that only their sum gives a meaning: even bits with ones from
  // bit 44 up, odd bits with the inverted sign at bit 44. A reset empties both, which the carries
  // out of the adder show: m[45] keeps it. A DSP48E1 has the product in one word.
  wire [26:0] a_mult = A_FROM_AD ? ad : a_port;
  wire [17:0] b_mult = B_FROM_AD ? ad[17:0] : b_port;
  wire round_in = ~(a_mult[26] ^ b_mult[17]);
  wire [45:0] m;
  wire round;
  generate
    wire [44:0] product;
    if (MULT) begin : with_mult
`ifdef KUMIKI_PROOF
      DSP48E2_product #(
          .WIDTH(OF_DSP48E1 ? 25 : 27),
          .REGISTERED(PREADD && ADREG != 0),
          .OF_SUM(A_FROM_AD && !B_FROM_AD && !PREADD_B)
      ) apart (
          .clk(clk),
          .reset(rstd),
          .enable(CEAD),
          .d_in(d_gated),
          .o_in(other),
          .subtract_in(inmode[3]),
          .sum_sign(ad_sum[26]),
          .a(a_mult),
          .b(b_mult),
          .product(product)
      );
`else
      assign product = {{18{a_mult[26]}}, a_mult} * {{27{b_mult[17]}}, b_mult};
`endif
    end else begin : no_mult
      assign product = 45'd0;
    end
    wire [45:0] words = {OF_DSP48E1 ? {2{product[44]}} : {1'b1, ~product[44]}, product[43:0]};
    if (MREG == 0) begin : no_mreg
      assign m = words;
      assign round = round_in;
    end else begin : with_mreg
      reg [45:0] q = 46'd0;
      reg round_q = 1'b0;
      always @(posedge clk)
        if (rstm) q <= 46'd0;
        else if (CEM) q <= words;
      always @(posedge clk)
        if (rstcarry) round_q <= 1'b0;
        else if (CEM) round_q <= round_in;
      assign m = q;
      assign round = round_q;
    end
  endgenerate

  // Operands of the adder. p_q is the P register, 0 without one. With X = 0 and Y all ones, MACC extend adds
  // 2 * MULTSIGNIN - 1 in a DSP48E2 and -MULTSIGNIN in a DSP48E1.
  wire [47:0] p_q;
  wire carrycasc_q;
  wire [47:0] w = opmode[8] ? (opmode[7] ? c : RND) : opmode[7] ? p_q : 48'd0;
  wire macc_extend = opmode[6:4] == 3'b100;
  wire [47:0] in_x = OF_DSP48E1 ? {{2{m[45]}}, m} : {{4{m[45]}}, m[43:0] & 44'h55555555555};
  wire [47:0] in_y = OF_DSP48E1 ? 48'd0 : {3'd0, m[44], m[43:0] & 44'haaaaaaaaaaa};
  wire [47:0] x = opmode[1] ? (opmode[0] ? {a2, b2} : p_q) :
                  opmode[0] ? in_x : {46'd0, !OF_DSP48E1 & macc_extend & MULTSIGNIN, 1'b0};
  wire [47:0] y = opmode[3] ? (opmode[2] ? c : {48{!OF_DSP48E1 | !macc_extend | MULTSIGNIN}}) :
                  opmode[2] ? in_y : 48'd0;
  wire [47:0] z_low = opmode[5] ? (opmode[4] ? c : p_q) : opmode[4] ? PCIN : 48'd0;
  wire [47:0] z_high = opmode[5] ? {{17{p_q[47]}}, p_q[47:17]} :
                       opmode[4] ? {{17{PCIN[47]}}, PCIN[47:17]} : p_q;
  wire [47:0] z = (opmode[6] ? z_high : z_low) ^ {48{alumode[0]}};

  wire [7:0] carries = {p_q[47], round, ~p_q[47], carrycasc_q,
                        PCIN[47], CARRYCASCIN, ~PCIN[47], carryin};
  wire logic_unit = alumode[3] | alumode[2];
  wire cin = carries[carryinsel] & ~logic_unit;

  // First stage: three operands to sum and carry, where the logic unit taps. Second: W and carry in.
  wire [47:0] sum = x ^ y ^ z;
  wire [47:0] maj = (x & y) | (z & (x | y));
  wire [47:0] s = alumode[3] ? maj : sum;
  wire [47:0] co = alumode[2] ? 48'd0 : maj;
  wire [47:0] total;
  wire [1:0] beyond;  // carries out of the top field, of weight 1 and 2
  wire [3:0] fields;  // carry out of each field, modulo 2
  generate
    if (FOUR12) begin : four12
      wire [13:0] t0 = {2'd0, s[11:0]} + {1'b0, co[11:0], 1'b0} + {2'd0, w[11:0]} + {13'd0, cin};
      wire [13:0] t1 = {2'd0, s[23:12]} + {1'b0, co[23:12], 1'b0} + {2'd0, w[23:12]};
      wire [13:0] t2 = {2'd0, s[35:24]} + {1'b0, co[35:24], 1'b0} + {2'd0, w[35:24]};
      wire [13:0] t3 = {2'd0, s[47:36]} + {1'b0, co[47:36], 1'b0} + {2'd0, w[47:36]};
      wire unused = t0[13] & t1[13] & t2[13];
      assign total = {t3[11:0], t2[11:0], t1[11:0], t0[11:0]};
      assign beyond = t3[13:12];
      assign fields = {t3[12], t2[12], t1[12], t0[12]} ^ {4{alumode[1] & alumode[0]}};
    end else if (TWO24) begin : two24
      wire [25:0] t0 = {2'd0, s[23:0]} + {1'b0, co[23:0], 1'b0} + {2'd0, w[23:0]} + {25'd0, cin};
      wire [25:0] t1 = {2'd0, s[47:24]} + {1'b0, co[47:24], 1'b0} + {2'd0, w[47:24]};
      wire unused = t0[25];
      assign total = {t1[23:0], t0[23:0]};
      assign beyond = t1[25:24];
      assign fields = {t1[24] ^ (alumode[1] & alumode[0]), 1'b0,
                       t0[24] ^ (alumode[1] & alumode[0]), 1'b0};
    end else begin : one48
      wire [49:0] t = {2'd0, s} + {1'b0, co, 1'b0} + {2'd0, w} + {49'd0, cin};
      assign total = t[47:0];
      assign beyond = t[49:48];
      assign fields = {t[48] ^ (alumode[1] & alumode[0]), 3'd0};
    end
  endgenerate
  wire [47:0] p_d = total ^ {48{alumode[1]}};
  wire multsign_d = !OF_DSP48E1 ? beyond[1] : macc_extend ? MULTSIGNIN : m[45];

  wire [7:0] xor_d;
  generate
    if (WIDEXOR) begin : widexor
      wire [7:0] six = {^sum[47:42], ^sum[41:36], ^sum[35:30], ^sum[29:24],
                        ^sum[23:18], ^sum[17:12], ^sum[11:6], ^sum[5:0]};
      if (XOR12) begin : xor12
        assign xor_d = six;
      end else begin : xor24_48_96
        assign xor_d = {six[7], ^six[7:6], ^six[7:4], ^six[5:4],
                        ^six, ^six[3:2], ^six[3:0], ^six[1:0]};
      end
    end else begin : no_widexor
      assign xor_d = 8'd0;
    end
  endgenerate

  // Pattern detector, in front of the P register. Switched off it ignores every bit.
  wire patdet_d, patbdet_d;
  generate
    if (PATDET) begin : patdet
      wire [47:0] pattern = PATTERN_C ? c : PATTERN;
      wire [47:0] mask = MASK_C ? c :
                         MASK_ROUND1 ? {~c[46:0], 1'b0} :
                         MASK_ROUND2 ? {~c[45:0], 2'b00} : MASK;
      assign patdet_d = &(~(pattern ^ p_d) | mask);
      assign patbdet_d = &((pattern ^ p_d) | mask);
    end else begin : no_patdet
      assign patdet_d = 1'b1;
      assign patbdet_d = 1'b1;
    end
  endgenerate

  generate
    if (PREG != 0) begin : with_preg
      reg [47:0] q = 48'd0;
      reg [3:0] fields_q = 4'd0;
      reg carry_q = 1'b0, multsign_q = 1'b0;
      reg [7:0] xor_q = 8'd0;
      reg patdet_q = 1'b0, patbdet_q = 1'b0, patdet_past = 1'b0, patbdet_past = 1'b0;
      wire event_now = RESET_MATCH ? patdet_q :
                       RESET_NOT_MATCH ? patdet_past & ~patdet_q : 1'b0;
      wire reset = rstp | (event_now & (RESET_ENABLED ? CEP : 1'b1));
      always @(posedge clk)
        if (reset) begin
          q <= 48'd0;
          fields_q <= 4'd0;
          carry_q <= 1'b0;
          multsign_q <= 1'b0;
          xor_q <= 8'd0;
          patdet_q <= 1'b0;
          patbdet_q <= 1'b0;
          patdet_past <= 1'b0;
          patbdet_past <= 1'b0;
        end else if (CEP) begin
          q <= p_d;
          fields_q <= fields;
          carry_q <= beyond[0];
          multsign_q <= multsign_d;
          xor_q <= xor_d;
          patdet_q <= patdet_d;
          patbdet_q <= patbdet_d;
          patdet_past <= patdet_q;
          patbdet_past <= patbdet_q;
        end
      assign p_q = q;
      assign carrycasc_q = carry_q;
      assign P = q;
      assign PCOUT = q;
      assign CARRYOUT = fields_q;
      assign CARRYCASCOUT = carry_q;
      assign MULTSIGNOUT = multsign_q;
      assign XOROUT = xor_q;
      assign PATTERNDETECT = patdet_q;
      assign PATTERNBDETECT = patbdet_q;
      assign OVERFLOW = patdet_past & ~patdet_q & ~patbdet_q;
      assign UNDERFLOW = patbdet_past & ~patdet_q & ~patbdet_q;
    end else begin : no_preg
      assign p_q = 48'd0;
      assign carrycasc_q = 1'b0;
      assign P = p_d;
      assign PCOUT = p_d;
      assign CARRYOUT = fields;
      assign CARRYCASCOUT = beyond[0];
      assign MULTSIGNOUT = multsign_d;
      assign XOROUT = xor_d;
      assign PATTERNDETECT = patdet_d;
      assign PATTERNBDETECT = patbdet_d;
      assign OVERFLOW = 1'b0;
      assign UNDERFLOW = 1'b0;
    end
  endgenerate

  // Pins that some parameter sets do not read.
  wire unused = &{1'b0, A, ACIN, B, BCIN, D, a1, CEA1, CEA2, CEAD, CEALUMODE, CEB1, CEB2, CEC,
                  CECARRYIN, CECTRL, CED, CEINMODE, CEM, CEP, clk, rsta, rstb, rstc, rstd, rstm,
                  rstp, rstctrl, rstinmode, rstalumode, rstcarry, ad, a_mult, b_mult, round_in, m,
                  1'b0};
endmodule
