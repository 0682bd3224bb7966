// SPDX-License-Identifier: Apache-2.0
// What goes from one clock to the other, and what may not.
#include "tests/ir/check/findings.h"

#include <fmt/format.h>

namespace kumiki::ir {
namespace check_clocks_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A top module with both clocks (%3, %4), an input (%5) and a phase register: %8 is 1 in the second
// half of a clock, %10 in the first one. The lines begin at line 14.
std::string two(const std::string& lines) {
  return "design ultrascale+ top m\nmodule m\ninput clk = %3\ninput clk2x = %4\ninput d = %5\n"
         "%6 = FDRE \"toggle\" C=%3 D=%11\n"
         "%11 = LUT1 I0=%6 INIT=1\n"
         "%7 = FDSE \"seen\" C=%4 D=%6 CROSSING=each\n"
         "%9 = LUT2 I0=%6 I1=%7 INIT=6\n"
         "%8 = FDRE \"phase\" C=%4 D=%9 CROSSING=each\n"
         "%12 = LUT2 I0=%6 I1=%7 INIT=9\n"
         "%10 = FDSE \"first\" C=%4 D=%12 CROSSING=each\n" +
         lines + "\n";
}

TEST(ClockCheck, WhatSaysItsHalfMayCross) {
  // clk to clk2x in both halves, in the first one, in the second one, and back.
  for (const char* taken :
       {"%20 = FDRE C=%4 D=%5 CROSSING=each", "%20 = FDRE C=%4 CE=%10 D=%5 CROSSING=first",
        "%20 = FDRE C=%4 CE=%8 D=%5 CROSSING=second"})
    EXPECT_THAT(errors(two(std::string(taken) + "\n%21 = FDRE C=%4 D=%20\n"
                                                "%22 = FDRE C=%3 D=%21 CROSSING=each\n"
                                                "output q = %22")),
                IsEmpty())
        << taken;
  // What changes at the beginning of the first half has two fast periods to the edge of clk.
  EXPECT_THAT(errors(two("%20 = FDRE C=%4 D=%5 CROSSING=each\n%21 = FDRE C=%4 CE=%8 D=%20\n"
                         "%22 = FDRE C=%3 D=%21 CROSSING=first\noutput q = %22")),
              IsEmpty());
}

TEST(ClockCheck, NothingElseCrosses) {
  const auto crossing = [](const std::string& lines, const char* text) {
    EXPECT_THAT(errors(two(lines)), ElementsAre(HasSubstr(text))) << lines;
  };
  crossing("%20 = FDRE \"b\" C=%4 D=%5\n%21 = FDRE C=%3 D=%20 CROSSING=each\noutput q = %21",
           "FDRE b at t:13: pin D takes on clk2x what clk launches");
  // Through logic, too.
  crossing(
      "%19 = LUT2 I0=%5 I1=%8 INIT=8\n%20 = FDRE \"b\" C=%4 D=%19\n"
      "%21 = FDRE C=%3 D=%20 CROSSING=each\noutput q = %21",
      "pin D takes on clk2x what clk launches");
  crossing("%20 = FDRE C=%4 D=%5 CROSSING=each\n%21 = FDRE \"q\" C=%3 D=%20\noutput q = %21",
           "FDRE q at t:14: pin D takes on clk what clk2x launches: CROSSING=each or first");
  crossing("%20 = FDRE C=%4 D=%5 CROSSING=each\noutput q = %20",
           "output q at t:14 is launched by clk2x, but outside it is taken by clk; put a register "
           "on clk");
}

TEST(ClockCheck, EnablesAndResetsStayOnTheirClock) {
  const auto control = [](const std::string& lines, const char* text) {
    EXPECT_THAT(errors(two(lines + "\noutput q = %22")), ElementsAre(HasSubstr(text))) << lines;
  };
  const std::string back = "\n%22 = FDRE C=%3 D=%20 CROSSING=each";
  control("%20 = FDRE C=%4 CE=%5 D=%8" + back, "pin CE on clk2x is launched by clk");
  control("%20 = FDRE C=%4 R=%5 D=%8" + back, "pin R on clk2x is launched by clk");
  control("%22 = FDSE C=%3 S=%8 D=%5", "pin S on clk is launched by clk2x");
  // Saying a half does not help.
  control("%20 = FDRE C=%4 CE=%5 D=%8 CROSSING=each" + back, "pin CE on clk2x");
}

TEST(ClockCheck, TheHalfIsWhatTheEnableSays) {
  const auto phase = [](const std::string& lines, const char* text) {
    EXPECT_THAT(errors(two(lines + "\noutput q = %22")), ElementsAre(HasSubstr(text))) << lines;
  };
  const std::string back = "\n%22 = FDRE C=%3 D=%20 CROSSING=each";
  phase("%20 = FDRE C=%4 CE=%10 D=%5 CROSSING=second" + back, "1 in the second half");
  phase("%20 = FDRE C=%4 CE=%8 D=%5 CROSSING=first" + back, "1 in the first half");
  phase("%20 = FDRE C=%4 D=%5 CROSSING=second" + back, "1 in the second half");
  // A register that only looks like a phase register: it begins in the wrong half, or never moves.
  phase("%15 = FDSE C=%4 D=%9 CROSSING=each\n%20 = FDRE C=%4 CE=%15 D=%5 CROSSING=second" + back,
        "1 in the second half");
  phase("%15 = FDRE C=%4 D=%8\n%20 = FDRE C=%4 CE=%15 D=%5 CROSSING=second" + back,
        "1 in the second half");
  // Back: what changes in the middle of a clock has one fast period, not two.
  phase("%20 = FDRE C=%4 CE=%10 D=%5 CROSSING=first\n%22 = FDRE C=%3 D=%20 CROSSING=first",
        "from registers on clk2x whose enable is a phase register");
  phase("%20 = FDRE C=%4 D=%5 CROSSING=each\n%22 = FDRE C=%3 D=%20 CROSSING=first",
        "from registers on clk2x whose enable is a phase register");
  phase("%20 = FDRE C=%4 D=%5 CROSSING=each\n%22 = FDRE C=%3 D=%20 CROSSING=second",
        "one on clk says each or first");
}

TEST(ClockCheck, AModuleOfOneClockRunsOnEither) {
  const std::string inner =
      "module r\ninput clk = %3\ninput a = %4\noutput b = %5\n"
      "%5 = FDRE \"r\" C=%3 D=%4\n";
  const std::string in = "%20 = FDRE C=%4 D=%5 CROSSING=each\n",
                    out = "%22 = FDRE C=%3 D=%21 CROSSING=each\noutput q = %22\n";
  EXPECT_THAT(errors(two(in + "%21 = instance r clk=%4 a=%20\n" + out + inner)), IsEmpty());
  EXPECT_THAT(errors(two("%21 = instance r clk=%3 a=%5\noutput q = %21\n" + inner)), IsEmpty());
  // The register stands in both placements, and crosses in one of them.
  EXPECT_THAT(
      errors(two("%20 = instance r clk=%3 a=%5\n%21 = instance r clk=%4 a=%20\n" + out + inner)),
      ElementsAre(HasSubstr("module r: FDRE r at t:21: pin D takes on clk2x")));
}

TEST(ClockCheck, AModuleOfTwoClocksGetsThePair) {
  const std::string inner =
      "module c\ninput clk = %3\ninput clk2x = %4\ninput a = %5\noutput b = %7\n"
      "%6 = FDRE C=%4 D=%5 CROSSING=each\n%7 = FDRE C=%3 D=%6 CROSSING=each\n";
  const auto given = [&](const char* pair) {
    return errors(
        two(fmt::format("%20 = instance c \"u0\" {} a=%5\noutput q = %20\n", pair) + inner));
  };
  EXPECT_THAT(given("clk=%3 clk2x=%4"), IsEmpty());
  for (const char* pair : {"clk=%4 clk2x=%3", "clk=%3 clk2x=%3", "clk=%4 clk2x=%4"})
    EXPECT_THAT(given(pair), ElementsAre(HasSubstr("must be the module's clk and clk2x"))) << pair;
  EXPECT_THAT(errors("design ultrascale+ top m\nmodule m\ninput clk2x = %4\ninput d = %5\n"
                     "output q = %6\n%6 = FDRE C=%4 D=%5\n"),
              ElementsAre(HasSubstr("clk2x stands beside clk")));
  EXPECT_THAT(errors(two("%20 = FDRE C=%5 D=%8\noutput q = %20")),
              ElementsAre(HasSubstr("it must be one of the module's inputs clk and clk2x")));
  EXPECT_THAT(errors(two("%20 = LUT1 I0=%4 INIT=1\noutput q = %20")),
              ElementsAre(HasSubstr("reads clk2x, but the clock must go to clock pins only")));
}

TEST(ClockCheck, ATextKeepsWhatARegisterSays) {
  const auto text = [](const char* crossing) {
    return two(
        fmt::format("%20 = FDRE C=%4 CE=%8 D=%5{}\n%22 = FDRE C=%3 D=%20 CROSSING=each\n"
                    "output q = %22",
                    crossing));
  };
  const auto said = parse(text(" CROSSING=second")), other = parse(text(" CROSSING=each"));
  EXPECT_THAT(print(*said), HasSubstr("CE=%8 D=%5 CROSSING=second\n"));
  EXPECT_EQ(print(*parse(print(*said))), print(*said));
  EXPECT_THAT(print(*other), HasSubstr("CE=%8 D=%5 CROSSING=each\n"));
  EXPECT_THROW(parse(text(" CROSSING=third")), DesignError);
  EXPECT_THROW(parse(text(" CROSSING=each CROSSING=each")), DesignError);
}

// A design of one clock is asked nothing of this.
TEST(ClockCheck, OneClockStaysAsItWas) {
  EXPECT_THAT(errors(top("%20 = FDRE C=%3 CE=%4 D=%5 R=%6\noutput q = %20")), IsEmpty());
}

}  // namespace check_clocks_test
}  // namespace kumiki::ir
