// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/ir/check/findings.h"

namespace kumiki::ir {
namespace check_cascades_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A slice on one line; its outputs begin at net 1000 * number.
constexpr unsigned slice_outputs = 162;
enum Start : unsigned {
  acout = 0,
  bcout = 30,
  carrycascout = 48,
  multsignout = 53,
  p = 55,
  pcout = 105
};

std::string slice(unsigned number, std::string_view pins) {
  return fmt::format("%{}..{} = DSP48E2 \"d{}\" CLK=%3 {}\n", 1000 * number,
                     1000 * number + slice_outputs - 1, number, pins);
}
std::string bits(unsigned number, Start start, unsigned width) {
  return fmt::format("%{}..{}", 1000 * number + start, 1000 * number + start + width - 1);
}
std::string pcin(unsigned from) { return "PCIN=" + bits(from, pcout, 48); }
std::string acin(unsigned from) { return "ACIN=" + bits(from, acout, 30); }
std::string bcin(unsigned from) { return "BCIN=" + bits(from, bcout, 18); }

// The words of a message in front of the rule.
constexpr auto pcin_rule =
    "; it must be PCOUT of one DSP48E2, whole and in order, or open [cascade-wiring]";

TEST(CheckCascades, AColumn) {
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, pcin(1)) + slice(3, pcin(2)))), IsEmpty());
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, pcin(1) + " " + acin(1) + " " + bcin(1) +
                                                     " CARRYCASCIN=%1048 MULTSIGNIN=%1053"))),
              IsEmpty());
  // Written downwards.
  EXPECT_THAT(errors(top(slice(3, pcin(2)) + slice(2, pcin(1)) + slice(1, ""))), IsEmpty());
  EXPECT_THAT(errors(top(slice(1, "PCIN=open*48"))), IsEmpty());
}

TEST(CheckCascades, OnlyFromTheCascadeOutput) {
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, "PCIN=" + bits(1, p, 48)))),
              ElementsAre("error: module m: DSP48E2 d2 at t:6: pin PCIN[0] is driven by "
                          "DSP48E2 d1.P[0] at t:5" +
                          std::string(pcin_rule)));
  EXPECT_THAT(errors(top(slice(1, "PCIN=0*48"))),
              ElementsAre("error: module m: DSP48E2 d1 at t:5: pin PCIN[0] is on 0" +
                          std::string(pcin_rule)));
  EXPECT_THAT(errors(top("input c = %900..947\n" + slice(1, "PCIN=%900..947"))),
              ElementsAre("error: module m: DSP48E2 d1 at t:6: pin PCIN[0] is driven by input "
                          "c[0] of the top module" +
                          std::string(pcin_rule)));
  EXPECT_THAT(errors(top("%900..947 = FDRE*48 C=%3 D=0*48\n" + slice(1, "PCIN=%900..947"))),
              ElementsAre(HasSubstr("pin PCIN[0] is driven by FDRE*48 %900.Q[0] at t:5")));
  EXPECT_THAT(errors(top(slice(1, "CARRYCASCIN=%4"))),
              ElementsAre("error: module m: DSP48E2 d1 at t:5: pin CARRYCASCIN is driven by input "
                          "a[0] of the top module; it must be CARRYCASCOUT of one DSP48E2, whole "
                          "and in order, or open [cascade-wiring]"));
}

TEST(CheckCascades, WholeAndInOrder) {
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, "PCIN=%1106,%1105,%1107..1152"))),
              ElementsAre("error: module m: DSP48E2 d2 at t:6: pin PCIN[0] is driven by "
                          "DSP48E2 d1.PCOUT[1] at t:5" +
                          std::string(pcin_rule)));
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, "PCIN=%1105..1151,open"))),
              ElementsAre("error: module m: DSP48E2 d2 at t:6: pin PCIN[47] is on open" +
                          std::string(pcin_rule)));
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, "PCIN=%1105..1122,0*30"))),
              ElementsAre(HasSubstr("pin PCIN[18] is on 0")));
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, "") + slice(3, "PCIN=%1105..1150,%2151..2152"))),
              ElementsAre("error: module m: DSP48E2 d3 at t:7: pin PCIN[46] is driven by "
                          "DSP48E2 d2.PCOUT[46] at t:6" +
                          std::string(pcin_rule)));
  // ACOUT into BCIN.
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, "BCIN=%1000..1017"))),
              ElementsAre(HasSubstr("pin BCIN[0] is driven by DSP48E2 d1.ACOUT[0] at t:5"),
                          HasSubstr("DSP48E2 d1 at t:5: pin ACOUT[0] drives DSP48E2 d2.BCIN[0] at "
                                    "t:6; ACIN of the slice above is all it may drive")));
}

TEST(CheckCascades, TheOutputDrivesNoFabric) {
  EXPECT_THAT(errors(top(slice(1, "") + "%20 = LUT1 I0=%1105")),
              ElementsAre("error: module m: DSP48E2 d1 at t:5: pin PCOUT[0] drives LUT1 "
                          "%20.I0 at t:6; PCIN of the slice above is all it may drive "
                          "[cascade-wiring]"));
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, pcin(1) + " C=" + bits(1, pcout, 48)))),
              ElementsAre(HasSubstr("pin PCOUT[0] drives DSP48E2 d2.C[0] at t:6; PCIN of the "
                                    "slice above is all it may drive")));
  EXPECT_THAT(errors(top(slice(1, "") + "output y = %1152")),
              ElementsAre("error: module m: DSP48E2 d1 at t:5: pin PCOUT[47] drives output y of "
                          "the top module; PCIN of the slice above is all it may drive "
                          "[cascade-wiring]"));
}

TEST(CheckCascades, TheOutputDrivesOneSlice) {
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, pcin(1)) + slice(3, pcin(1)))),
              ElementsAre("error: module m: DSP48E2 d1 at t:5: pin PCOUT[0] drives DSP48E2 "
                          "d2.PCIN[0] at t:6 and DSP48E2 d3.PCIN[0] at t:7; one slice stands "
                          "above [cascade-wiring]"));
}

TEST(CheckCascades, AllCascadesJoinTheSameTwo) {
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, "") + slice(3, pcin(1) + " " + acin(2)))),
              ElementsAre("error: module m: DSP48E2 d3 at t:7: PCIN comes from DSP48E2 d1 at "
                          "t:5, but ACIN from DSP48E2 d2 at t:6: all cascades into a slice come "
                          "from the slice below it [cascade-wiring]"));
  EXPECT_THAT(errors(top(slice(1, "") + slice(2, pcin(1)) + slice(3, bcin(1)))),
              ElementsAre("error: module m: DSP48E2 d1 at t:5: PCOUT goes to DSP48E2 d2 at "
                          "t:6, but BCOUT to DSP48E2 d3 at t:7: all cascades out of a slice go to "
                          "the slice above it [cascade-wiring]"));
}

TEST(CheckCascades, AColumnIsNoRing) {
  EXPECT_THAT(errors(top(slice(1, pcin(3)) + slice(2, pcin(1)) + slice(3, pcin(2)))),
              ElementsAre("error: module m: DSP48E2 d1 at t:5: cascades run in a ring of 3 "
                          "slices; a column has a lowest one [cascade-wiring]"));
  EXPECT_THAT(errors(top(slice(1, pcin(1)))),
              ElementsAre(HasSubstr("cascades run in a ring of 1 slices")));
}

TEST(CheckCascades, HeightOfAColumn) {
  std::string column = slice(1, "");
  for (unsigned n = 2; n <= 5; ++n) column += slice(n, n % 2 ? acin(n - 1) : pcin(n - 1));
  EXPECT_THAT(errors(top(column), {.cascade_height = 5}), IsEmpty());
  EXPECT_THAT(errors(top(column)), IsEmpty());
  EXPECT_THAT(errors(top(column), {.cascade_height = 4}),
              ElementsAre("error: module m: DSP48E2 d1 at t:5: a column of 5 slices begins here "
                          "and ends with DSP48E2 d5 at t:9, but the target has 4; break it and "
                          "enter again through C [cascade-height]"));
}

TEST(CheckCascades, AMistakeOfAModuleIsSaidOnce) {
  std::string lines;
  for (unsigned n = 1; n <= 3; ++n) lines += fmt::format("- = instance n \"u{}\" clk=%3\n", n);
  EXPECT_THAT(errors(top(lines + "module n\ninput clk = %3\n" + slice(1, "PCIN=1*48"))),
              ElementsAre("error: module n: m/u1: DSP48E2 d1 at t:10: pin PCIN[0] is on 1" +
                          std::string(pcin_rule)));
}

TEST(CheckCascades, AModuleThatNobodyPlacesIsLeftAlone) {
  EXPECT_THAT(errors(top("module n\ninput clk = %3\ninput c = %4..51\n" + slice(1, "PCIN=%4..51"))),
              IsEmpty());
}

// The same rules for slices of the 7 series, which have fewer pins.
std::string slice_of_7series(unsigned number, std::string_view pins) {
  return fmt::format("%{}..{} = DSP48E1 \"d{}\" CLK=%3 {}\n", 1000 * number,
                     1000 * number + slice_outputs - 9, number, pins);
}

TEST(CheckCascades, AColumnOf7Series) {
  const auto lines = slice_of_7series(1, "") +
                     slice_of_7series(2, pcin(1) + " " + acin(1) + " " + bcin(1) +
                                             " CARRYCASCIN=%1048 MULTSIGNIN=%1053") +
                     slice_of_7series(3, pcin(2));
  EXPECT_THAT(errors(top(lines, "7series")), IsEmpty());
  EXPECT_THAT(errors(top(lines, "7series"), {.cascade_height = 2}),
              ElementsAre("error: module m: DSP48E1 d1 at t:5: a column of 3 slices begins here "
                          "and ends with DSP48E1 d3 at t:7, but the target has 2; break it and "
                          "enter again through C [cascade-height]"));
  EXPECT_THAT(errors(top(slice_of_7series(1, "") + slice_of_7series(2, "PCIN=" + bits(1, p, 48)),
                         "7series")),
              ElementsAre("error: module m: DSP48E1 d2 at t:6: pin PCIN[0] is driven by DSP48E1 "
                          "d1.P[0] at t:5; it must be PCOUT of one DSP48E1, whole and in order, "
                          "or open [cascade-wiring]"));
}

TEST(CheckFamilies, EveryFamilyHasOneKindOfSlice) {
  EXPECT_THAT(errors(top(slice(1, ""), "7series")),
              ElementsAre("error: module m: DSP48E2 d1 at t:5: DSP48E2 does not exist in the "
                          "7series family; use DSP48E1 [illegal]"));
  for (const char* family : {"ultrascale", "ultrascale+"})
    EXPECT_THAT(errors(top(slice_of_7series(1, ""), family)),
                ElementsAre(fmt::format("error: module m: DSP48E1 d1 at t:5: DSP48E1 does not "
                                        "exist in the {} family; use DSP48E2 [illegal]",
                                        family)));
}

TEST(CheckFamilies, RulesOfASliceOf7SeriesAreChecked) {
  EXPECT_THAT(errors(top(slice_of_7series(1, "OPMODE=1,0,1,0,1,0,0"), "7series")),
              ElementsAre("error: module m: DSP48E1 d1 at t:5: OPMODE[6:4] selects PCIN, which is "
                          "open: connect it [illegal]"));
  EXPECT_THAT(errors(top(slice_of_7series(1, "OPMODE=1,0,1,0,0,0,0 CARRYINSEL=1,1,1"), "7series")),
              ElementsAre("error: module m: DSP48E1 d1 at t:5: CARRYINSEL is 111 with OPMODE "
                          "0000101: it must be 000 [illegal]"));
}

}  // namespace check_cascades_test
}  // namespace kumiki::ir
