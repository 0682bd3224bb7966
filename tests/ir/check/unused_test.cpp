// SPDX-License-Identifier: Apache-2.0
#include "tests/ir/check/findings.h"

namespace kumiki::ir {
namespace check_unused_test {

using testing::ElementsAre;
using testing::IsEmpty;

// A clock and two inputs that are used; lines from 6 on.
std::string live(std::string_view lines) {
  return "design ultrascale+ top m\nmodule m\ninput clk = %3\ninput a = %4..5\noutput z = %4..5\n" +
         std::string(lines) + "\n";
}

TEST(CheckUnused, Cells) {
  EXPECT_THAT(findings(live("%10 = LUT1 I0=%4\n%11 = FDRE \"q\" C=%3 D=%10")),
              ElementsAre("warning: module m: LUT1 %10 at t:6 reaches no output [unused-cell]",
                          "warning: module m: FDRE q at t:7 reaches no output [unused-cell]"));
  EXPECT_THAT(findings(live("%10 = LUT1 I0=%4\n%11 = FDRE \"q\" C=%3 D=%10\noutput y = %11")),
              IsEmpty());
}

TEST(CheckUnused, ARingThatFeedsOnlyItself) {
  EXPECT_THAT(findings(live("%10 = LUT1 I0=%11\n%11 = FDRE C=%3 D=%10")),
              ElementsAre("warning: module m: LUT1 %10 at t:6 reaches no output [unused-cell]",
                          "warning: module m: FDRE %11 at t:7 reaches no output [unused-cell]"));
}

TEST(CheckUnused, CellsInAnyOrder) {
  EXPECT_THAT(findings(live("output y = %10\n%10 = FDRE C=%3 D=%11\n%11 = FDRE C=%3 D=%12\n"
                            "%12 = FDRE C=%3 D=%4")),
              IsEmpty());
  EXPECT_THAT(findings(live("output y = %12\n%10 = FDRE C=%3 D=%13\n%12 = FDRE C=%3 D=%10\n"
                            "%13 = FDRE C=%3 D=%14\n%14 = FDRE C=%3 D=%12\n%15 = FDRE C=%3 D=%12")),
              ElementsAre("warning: module m: FDRE %15 at t:11 reaches no output [unused-cell]"));
}

TEST(CheckUnused, ElementsOfAVector) {
  EXPECT_THAT(findings(live("%10..17 = FDRE*8 C=%3 D=%4*8\noutput y = %10..12,%14")),
              ElementsAre("warning: module m: FDRE*8 %10 at t:6 has elements that reach no output: "
                          "3, 5..7 [unused-cell]"));
  // One of the two outputs of an element is enough, and bits of a carry chain are no elements.
  EXPECT_THAT(findings(live("%10..13 = LUT6_2*2 I0=%4*2 I1=%4*2 I2=%4*2 I3=%4*2 I4=%4*2 I5=1*2\n"
                            "%20..27 = CARRY4 DI=0*4 S=%4*4\noutput y = %10,%13,%25")),
              IsEmpty());
}

TEST(CheckUnused, Inputs) {
  EXPECT_THAT(findings(live("input b = %20..27\ninput c = %30\noutput y = %21,%25..26\n"
                            "%31 = LUT1 I0=%30")),
              ElementsAre("warning: module m: input b at t:6 has bits that reach no output: 0, "
                          "2..4, 7 [unused-input]",
                          "warning: module m: input c at t:7 reaches no output [unused-input]",
                          "warning: module m: LUT1 %31 at t:9 reaches no output [unused-cell]"));
}

TEST(CheckUnused, OutputsOfModules) {
  auto text = [](const char* read) {
    return live("output y = " + std::string(read) +
                "\n%20..22 = instance n a=%4\n%23..25 = instance n a=%5\nmodule n\ninput a = %3\n"
                "output p = %3\noutput q = %4,%4\n%4 = LUT1 I0=%3");
  };
  EXPECT_THAT(findings(text("%20..21,%25")), IsEmpty());
  EXPECT_THAT(findings(text("%20..21,%24")),
              ElementsAre("warning: module n: output q at t:12 has bits that no instance uses: 1 "
                          "[unused-output]"));
  EXPECT_THAT(findings(text("%22,%24")),
              ElementsAre("warning: module n: output p at t:11 is used by no instance "
                          "[unused-output]"));
}

TEST(CheckUnused, InstancesAndModules) {
  EXPECT_THAT(findings(live("- = instance n \"u0\" a=%4\nmodule n\ninput a = %3\nmodule o\n")),
              ElementsAre("warning: module o: the top module m does not contain it "
                          "[unused-module]",
                          "warning: module m: instance of n u0 at t:6 reaches no output "
                          "[unused-cell]"));
}

// An input that its module does not read is nothing to warn of, what is built to drive it is.
TEST(CheckUnused, WhatDrivesAnInputThatNobodyReads) {
  const auto text = [](const char* b) {
    return live("output y = %21\n%20 = LUT1 I0=%4\n%21 = instance n a=%5 b=" + std::string(b) +
                "\nmodule n\ninput a = %3\ninput b = %4\noutput q = %5\n%5 = LUT1 I0=%3");
  };
  EXPECT_THAT(findings(text("%20")),
              ElementsAre("warning: module m: LUT1 %20 at t:7 reaches no output [unused-cell]"));
}

TEST(CheckUnused, WarningsCanBeLeftOut) {
  EXPECT_THAT(findings(live("%10 = LUT1 I0=%4\nmodule o"), {.warnings = false}), IsEmpty());
}

}  // namespace check_unused_test
}  // namespace kumiki::ir
