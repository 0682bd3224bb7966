// SPDX-License-Identifier: Apache-2.0
// Slices that were filled by hand from the families' rules.
#include "backends/fabric/slices.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "ir/resources.h"
#include "ir/text.h"

namespace kumiki::backends::fabric {
namespace slices_test {

Packed packed(const std::string& family, const std::string& lines, PackOptions options = {}) {
  const auto design = ir::parse("design " + family + " top m\nmodule m\n" + lines);
  const Packed p = pack(timing::Netlist(*design), options);
  EXPECT_EQ(ir::feeds(design->top()), p.feeds);
  return p;
}

// `n` registers with an enable of their own from one port, behind LUTs or not.
std::string registers(int n, bool has_luts, int enables = 1) {
  std::string text = fmt::format("  input clk = %3\n  input ce = %10..{}\n  input d = %1000..{}\n",
                                 9 + enables, 999 + n);
  std::string outputs;
  for (int i = 0; i < n; ++i) {
    if (has_luts) text += fmt::format("  %{} = LUT1 I0=%{} INIT=0x1\n", 2000 + i, 1000 + i);
    text += fmt::format("  %{} = FDRE C=%3 CE=%{} D=%{}\n", 3000 + i, 10 + i % enables,
                        (has_luts ? 2000 : 1000) + i);
    outputs += fmt::format("  output q{} = %{}\n", i, 3000 + i);
  }
  const auto cells = text.find("  %");
  return text.insert(cells, outputs);
}

TEST(Slices, FourLutsASliceAndEightInUltraScale) {
  EXPECT_EQ(packed("7series", registers(4, true)).slices, 1u);
  EXPECT_EQ(packed("7series", registers(5, true)).slices, 2u);
  EXPECT_EQ(packed("ultrascale+", registers(8, true)).slices, 1u);
  EXPECT_EQ(packed("ultrascale+", registers(9, true)).slices, 2u);
  EXPECT_EQ(packed("7series", registers(5, true)).sites, 5u);
}

TEST(Slices, RegistersAloneFillASliceToo) {
  // Four by bypasses, four through LUTs that are free; in UltraScale all by bypasses.
  const Packed old = packed("7series", registers(8, false));
  EXPECT_EQ(old.slices, 1u);
  EXPECT_EQ(old.sites, 0u);
  EXPECT_EQ(old.passed, 4u);
  EXPECT_EQ(packed("7series", registers(9, false)).slices, 2u);
  const Packed now = packed("ultrascale+", registers(16, false));
  EXPECT_EQ(now.slices, 1u);
  EXPECT_EQ(now.passed, 0u);
  EXPECT_EQ(packed("ultrascale+", registers(17, false)).slices, 2u);
}

TEST(Slices, ShareClockEnableAndReset) {
  // Six registers, each with another enable: a slice each, but four enables in a CLB.
  EXPECT_EQ(packed("7series", registers(6, true, 6)).slices, 6u);
  EXPECT_EQ(packed("7series", registers(6, true, 2)).slices, 2u);
  EXPECT_EQ(packed("ultrascale+", registers(4, false, 4)).slices, 1u);
  EXPECT_EQ(packed("ultrascale+", registers(5, false, 5)).slices, 2u);
}

constexpr const char* half_adders = R"(
  input x = %10..13
  input y = %20..23
  output s = %44..48
  %30..33 = LUT2*4 I0=%10..13 I1=%20..23 INIT=0x6
)";

TEST(Slices, ACarryTakesItsLutsAlong) {
  const std::string chain = "  %40..47 = CARRY4 DI=%10..13 S=%30..33\n";
  const std::string adder =
      std::string(half_adders).replace(std::string(half_adders).find("%44..48"), 7, "%44..47,%43");
  const Packed p = packed("7series", adder + chain);
  EXPECT_EQ(p.sites, 4u);
  EXPECT_EQ(p.feeds, 0u);
  EXPECT_EQ(p.slices, 1u);
}

// S from a constant, from a register, from O5, and twice from one LUT: each takes a LUT.
TEST(Slices, WhatIsNoLutIsFed) {
  const auto lines = [](const std::string& s, const char* read = "%40..47") {
    return fmt::format(R"(
  input clk = %3
  input a = %10
  output y = {}
  %20 = FDRE C=%3 D=%10
  %21..22 = LUT6_2 I0=%10 I1=%20 I2=0 I3=0 I4=0 I5=1 INIT=0x6666666688888888
  %40..47 = CARRY4 CI=0 CYINIT=0 DI=0*4 S={}
)",
                       read, s);
  };
  EXPECT_EQ(packed("7series", lines("0,1,0,1")).feeds, 4u);
  EXPECT_EQ(packed("7series", lines("%20,0,0,0")).feeds, 4u);
  EXPECT_EQ(packed("7series", lines("%21,0,0,0")).feeds, 3u);
  EXPECT_EQ(packed("7series", lines("%21,%21,0,0")).feeds, 3u);
  EXPECT_EQ(packed("7series", lines("%22,0,0,0")).feeds, 4u);
  // Positions that nobody reads take nothing.
  EXPECT_EQ(packed("7series", lines("%21,0,0,0", "%45")).feeds, 1u);
  EXPECT_EQ(packed("7series", lines("%21,0,0,0", "%44")).feeds, 0u);
}

// DI from O5 of its own LUT needs no way into the slice; from elsewhere it takes that of a
// register.
TEST(Slices, AnotherDiTakesABypass) {
  const auto lines = [](const char* di) {
    std::string text = fmt::format(R"(
  input clk = %3
  input x = %10..13
  input y = %20..23
  input d = %50..53
  output s = %44..47
  output both = %34..37
  output q = %60..63
  %30..37 = LUT6_2*4 I0=%10..13 I1=%20..23 I2=0*4 I3=0*4 I4=0*4 I5=1*4 INIT=0x6666666688888888
  %40..47 = CARRY4 CI=0 CYINIT=0 DI={} S=%30..33
)",
                                   di);
    for (int i = 0; i < 4; ++i) text += fmt::format("  %{} = FDRE C=%3 D=%{}\n", 60 + i, 50 + i);
    return text;
  };
  EXPECT_EQ(packed("7series", lines("%34..37")).slices, 1u);
  EXPECT_EQ(packed("7series", lines("%20..23")).slices, 2u);
}

TEST(Slices, ARegisterStandsBehindItsSum) {
  std::string text =
      "  input clk = %3\n  input a = %10..13\n  output q = %50..53\n"
      "  %20..23 = LUT1*4 I0=%10..13 INIT=0x1\n"
      "  %40..47 = CARRY4 DI=0*4 S=%20..23\n"
      "  %50..53 = FDRE*4 C=%3 D=%44..47\n";
  const Packed p = packed("7series", text);
  EXPECT_EQ(p.slices, 1u);
  EXPECT_EQ(p.passed, 0u);
}

// Two chains of three positions in one CARRY8, the second from its middle: the position between
// them takes no LUT.
std::string two_chains(const std::string& more) {
  return "  input clk = %3\n  input a = %10..15\n  input c = %8\n"
         "  %20..25 = LUT1*6 I0=%10..15 INIT=0x1\n" +
         more;
}

TEST(Slices, TwoChainsShareABlock) {
  const std::string text = two_chains(
      "  output y = %40..42,%44..46\n"
      "  %32..47 = CARRY8 CI=0 CI_TOP=%8 DI=0*8 S=%20..22,0,%23..25,0 CARRY_TYPE=DUAL_CY4\n");
  const Packed p = packed("ultrascale+", text);
  EXPECT_EQ(p.slices, 1u);
  EXPECT_EQ(p.sites, 6u);
  EXPECT_EQ(p.feeds, 0u);
  // As one chain it goes through.
  const std::string one = two_chains(
      "  output y = %40..42,%44..46\n"
      "  %32..47 = CARRY8 CI=%8 CI_TOP=0 DI=0*8 S=%20..22,0,%23..25,0\n");
  EXPECT_EQ(packed("ultrascale+", one).sites, 7u);
}

// A sum and the carry of the same position, each into a register: UltraScale has both beside the
// LUT, and a CLB full of other registers has room for them.
TEST(Slices, SumAndCarryHaveARegisterEach) {
  const auto lines = [](const char* carry) {
    std::string text = fmt::format(
        "  input clk = %3\n  input a = %10..11\n  input d = %100..113\n"
        "  output q = %50..51\n  output r = %200..213\n"
        "  %20..21 = LUT1*2 I0=%10..11 INIT=0x1\n"
        "  {}\n",
        carry);
    for (int i = 0; i < 14; ++i) text += fmt::format("  %{} = FDRE C=%3 D=%{}\n", 200 + i, 100 + i);
    return text;
  };
  const std::string eight = lines(
      "%32..47 = CARRY8 CI=0 CI_TOP=0 DI=%10..11,0*6 S=%20..21,0*6\n"
      "  %50 = FDRE C=%3 D=%41\n  %51 = FDRE C=%3 D=%33");
  EXPECT_EQ(packed("ultrascale+", eight).slices, 1u);
}

TEST(Slices, AMuxF8FillsOne) {
  std::string text =
      "  input a = %10..15\n  output y = %33\n"
      "  %20..23 = LUT1*4 I0=%10..13 INIT=0x1\n"
      "  %30 = MUXF7 I0=%20 I1=%21 S=%14\n  %31 = MUXF7 I0=%22 I1=%23 S=%14\n"
      "  %33 = MUXF8 I0=%30 I1=%31 S=%15\n";
  EXPECT_EQ(packed("7series", text).slices, 1u);
  EXPECT_EQ(packed("7series", text).sites, 4u);
  // Two MUXF7 of which one wants the other's LUT: it is brought to it.
  text =
      "  input a = %10..15\n  output y = %30..31\n"
      "  %20..22 = LUT1*3 I0=%10..12 INIT=0x1\n"
      "  %30 = MUXF7 I0=%20 I1=%21 S=%14\n  %31 = MUXF7 I0=%22 I1=%20 S=%14\n";
  EXPECT_EQ(packed("7series", text).feeds, 1u);
  EXPECT_EQ(packed("7series", text).sites, 4u);
}

TEST(Slices, MemoriesHaveTheirOwn) {
  const auto shifts = [](const char* enables) {
    return fmt::format(
        "  input clk = %3\n  input a = %10..14\n  output y = %20,%22\n"
        "  %20..21 = SRLC32E A=%10..14 CE=%13 CLK=%3 D=%10\n"
        "  %22..23 = SRLC32E A=%10..14 CE=%{} CLK=%3 D=%11\n",
        enables);
  };
  EXPECT_EQ(packed("7series", shifts("13")).slices, 1u);
  EXPECT_EQ(packed("7series", shifts("14")).slices, 2u);
  EXPECT_EQ(packed("7series", shifts("14")).sites, 2u);
  // RAM32M: six bits of 32 words in four LUTs.
  const std::string memory =
      "  input clk = %3\n  input a = %10..14\n  input d = %20..31\n  output y = %40..51\n"
      "  %40..51 = MEMORY CLK=%3 WE=%10 WADDR=%10..14 WDATA=%20..31 RADDR=%10..14 DEPTH=32 "
      "WIDTH=12 ADDRESS_BITS=5 READ=ASYNC\n";
  EXPECT_EQ(packed("7series", memory).slices, 2u);
  EXPECT_EQ(packed("ultrascale+", memory).slices, 1u);
  EXPECT_EQ(packed("7series", memory).sites, 8u);
}

TEST(Slices, PairsShareASiteWhereTheyAreAskedFor) {
  const std::string text =
      "  input a = %10..15\n  output y = %20..22\n"
      "  %20 = LUT3 I0=%10 I1=%11 I2=%12 INIT=0x96\n"
      "  %21 = LUT3 I0=%12 I1=%13 I2=%14 INIT=0x96\n"
      "  %22 = LUT6 I0=%10 I1=%11 I2=%12 I3=%13 I4=%14 I5=%15 INIT=0x1\n";
  EXPECT_EQ(packed("7series", text).sites, 3u);
  EXPECT_EQ(packed("7series", text, {.pairs = true}).sites, 2u);
}

}  // namespace slices_test
}  // namespace kumiki::backends::fabric
