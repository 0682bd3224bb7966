// SPDX-License-Identifier: Apache-2.0
#include "tests/ir/check/findings.h"

namespace kumiki::ir {
namespace check_loops_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CheckLoops, OneCell) {
  EXPECT_THAT(errors(top("%20 = LUT2 I0=%4 I1=%20")),
              ElementsAre("error: module m: combinational loop through 1 cell; signals run\n"
                          "  m: LUT2 %20 at t:5: I1 to O [loop]"));
}

TEST(CheckLoops, EveryHopInTheDirectionOfTheSignal) {
  EXPECT_THAT(errors(top("%20 = LUT1 \"first\" I0=%24\n%23..24 = LUT6_2 I0=%21 I1=0 I2=0 I3=0 I4=0 "
                         "I5=0\n%21..22 = LUT2*2 I0=%20,%4 I1=%4..5")),
              ElementsAre("error: module m: combinational loop through 3 cells; signals run\n"
                          "  m: LUT2*2 %21 at t:7: I0[0] to O[0]\n"
                          "  m: LUT6_2 %23 at t:6: I0 to O5\n"
                          "  m: LUT1 first at t:5: I0 to O [loop]"));
}

TEST(CheckLoops, ARegisterBreaksOne) {
  EXPECT_THAT(errors(top("%20 = LUT1 I0=%21\n%21 = FDRE C=%3 D=%20")), IsEmpty());
  EXPECT_THAT(errors(top("%20 = LUT1 I0=%21\n%21 = FDSE C=%3 CE=%20 D=%20 S=%20")), IsEmpty());
  EXPECT_THAT(errors(top("%20 = SRL16E CLK=%3 CE=%20 D=%20 A0=0 A1=0 A2=0 A3=0")), IsEmpty());
  EXPECT_THAT(errors(top("%20 = MEMORY CLK=%3 WE=%20 WADDR=%20 WDATA=%20 RE=%20 RADDR=%20 "
                         "READ=REGISTERED")),
              IsEmpty());
}

TEST(CheckLoops, AddressesAreNoRegister) {
  EXPECT_THAT(errors(top("%20 = SRL16E CLK=%3 D=%4 A0=0 A1=0 A2=%20 A3=0")),
              ElementsAre("error: module m: combinational loop through 1 cell; signals run\n"
                          "  m: SRL16E %20 at t:5: A2 to Q [loop]"));
  EXPECT_THAT(errors(top("%20..21 = SRLC32E CLK=%3 D=%4 A=0*4,%20")),
              ElementsAre("error: module m: combinational loop through 1 cell; signals run\n"
                          "  m: SRLC32E %20 at t:5: A[4] to Q [loop]"));
  EXPECT_THAT(errors(top("%20..21 = MEMORY CLK=%3 DEPTH=4 WIDTH=2 ADDRESS_BITS=2 RADDR=%21,%4")),
              ElementsAre("error: module m: combinational loop through 1 cell; signals run\n"
                          "  m: MEMORY %20 at t:5: RADDR[0] to RDATA[1] [loop]"));
  // Q31 comes from the last register whatever the address says.
  EXPECT_THAT(errors(top("%20..21 = SRLC32E CLK=%3 D=%4 A=%21*5")), IsEmpty());
}

TEST(CheckLoops, O5DoesNotDependOnI5) {
  EXPECT_THAT(errors(top("%20..21 = LUT6_2 I0=%4 I1=%5 I2=%6 I3=%7 I4=%8 I5=%21")), IsEmpty());
  EXPECT_THAT(errors(top("%20..21 = LUT6_2 I0=%4 I1=%5 I2=%6 I3=%7 I4=%8 I5=%20")),
              ElementsAre("error: module m: combinational loop through 1 cell; signals run\n"
                          "  m: LUT6_2 %20 at t:5: I5 to O6 [loop]"));
  EXPECT_THAT(errors(top("%20..21 = LUT6_2 I0=%4 I1=%5 I2=%6 I3=%7 I4=%21 I5=1")),
              ElementsAre("error: module m: combinational loop through 1 cell; signals run\n"
                          "  m: LUT6_2 %20 at t:5: I4 to O5 [loop]"));
}

TEST(CheckLoops, ElementsOfAVectorDoNotSeeEachOther) {
  EXPECT_THAT(errors(top("%20..22 = LUT2*3 I0=%4,%20..21 I1=%5..7")), IsEmpty());
  EXPECT_THAT(
      errors(top("%20..22 = LUT2*3 I0=%4,%21..22 I1=%5..6,%21")),
      ElementsAre("error: module m: combinational loop through 1 cell, in 2 bits or copies; "
                  "signals run\n"
                  "  m: LUT2*3 %20 at t:5: I0[1] to O[1] [loop]"));
}

TEST(CheckLoops, ACarryChainRunsUpwards) {
  // Position 2 depends on the sum at position 0, and so does the DI of position 0 on nothing above.
  EXPECT_THAT(errors(top("%20..27 = CARRY4 DI=%4..7 S=%8..9,%30..31\n%30..31 = LUT1*2 "
                         "I0=%24..25 INIT=1")),
              IsEmpty());
  EXPECT_THAT(errors(top("%20..27 = CARRY4 DI=%4..7 S=%30,%8..10\n%30 = LUT1 I0=%26 INIT=1")),
              ElementsAre("error: module m: combinational loop through 2 cells; signals run\n"
                          "  m: LUT1 %30 at t:6: I0 to O\n"
                          "  m: CARRY4 %20 at t:5: S[0] to O[2] [loop]"));
  // A sum does not depend on its own DI, the carry out does.
  EXPECT_THAT(errors(top("%20..27 = CARRY4 DI=%24,%4..6 S=%7..10")), IsEmpty());
  EXPECT_THAT(errors(top("%20..27 = CARRY4 DI=%20,%4..6 S=%7..10")),
              ElementsAre("error: module m: combinational loop through 1 cell; signals run\n"
                          "  m: CARRY4 %20 at t:5: DI[0] to CO[0] [loop]"));
}

TEST(CheckLoops, AShortestOneOfEachComponent) {
  EXPECT_THAT(errors(top("%20 = LUT2 I0=%21 I1=%22\n%21 = LUT1 I0=%20\n%22 = LUT1 I0=%23\n"
                         "%23 = LUT1 I0=%20\n%30 = LUT1 I0=%31\n%31 = LUT1 I0=%30")),
              ElementsAre("error: module m: combinational loop through 2 cells; signals run\n"
                          "  m: LUT1 %21 at t:6: I0 to O\n"
                          "  m: LUT2 %20 at t:5: I0 to O [loop]",
                          "error: module m: combinational loop through 2 cells; signals run\n"
                          "  m: LUT1 %31 at t:10: I0 to O\n"
                          "  m: LUT1 %30 at t:9: I0 to O [loop]"));
}

constexpr auto crossed =
    "\nmodule n\ninput clk = %3\ninput x = %4..5\noutput y = %7..9\n"
    "%6 = LUT1 I0=%4\n%7 = LUT1 \"last\" I0=%6\n%8 = FDRE C=%3 D=%5\n%9 = LUT1 I0=%5\n";

TEST(CheckLoops, ThroughAnInstanceBitByBit) {
  EXPECT_THAT(errors(top(std::string("%20..22 = instance n \"u0\" clk=%3 x=%22,%4") + crossed)),
              IsEmpty());
  EXPECT_THAT(errors(top(std::string("%20..22 = instance n \"u0\" clk=%3 x=%4,%21") + crossed)),
              IsEmpty());
  EXPECT_THAT(
      errors(top(std::string("%20..22 = instance n \"u0\" clk=%3 x=%30,%4\n%30 = LUT1 I0=%20") +
                 crossed)),
      ElementsAre("error: module m: combinational loop through 2 cells; signals run\n"
                  "  m: LUT1 %30 at t:6: I0 to O\n"
                  "  m: instance of n u0 at t:5: x[0] to y[0]\n"
                  "  m/u0: LUT1 %6 at t:11: I0 to O\n"
                  "  m/u0: LUT1 last at t:12: I0 to O [loop]"));
}

TEST(CheckLoops, ThroughTwoInstancesOfOneModule) {
  // Each passes one bit of the other: no loop. Both bits crossed the same way: one.
  EXPECT_THAT(errors(top(std::string("%20..22 = instance n clk=%3 x=%25,%4\n"
                                     "%23..25 = instance n clk=%3 x=%5,%20") +
                         crossed)),
              ElementsAre("error: module m: combinational loop through 2 cells; signals run\n"
                          "  m: instance of n %23 at t:6: x[1] to y[2]\n"
                          "  m/%23: LUT1 %9 at t:14: I0 to O\n"
                          "  m: instance of n %20 at t:5: x[0] to y[0]\n"
                          "  m/%20: LUT1 %6 at t:11: I0 to O\n"
                          "  m/%20: LUT1 last at t:12: I0 to O [loop]"));
  EXPECT_THAT(errors(top(std::string("%20..22 = instance n clk=%3 x=%4,%23\n"
                                     "%23..25 = instance n clk=%3 x=%5,%20") +
                         crossed)),
              IsEmpty());
}

TEST(CheckLoops, ThroughTwoLevels) {
  EXPECT_THAT(
      errors(top("%20 = instance outer \"o\" a=%20\n"
                 "module inner\ninput a = %3\noutput y = %4\n%4 = LUT1 I0=%3\n"
                 "module outer\ninput a = %3\noutput y = %4\n%4 = instance inner \"i\" a=%3")),
      ElementsAre("error: module m: combinational loop through 1 cell; signals run\n"
                  "  m: instance of outer o at t:5: a to y\n"
                  "  m/o: instance of inner i at t:13: a to y\n"
                  "  m/o/i: LUT1 %4 at t:9: I0 to O [loop]"));
}

TEST(CheckLoops, AWireThroughAnInstance) {
  EXPECT_THAT(errors(top("%20 = instance wire a=%20\nmodule wire\ninput a = %3\noutput y = %3")),
              ElementsAre("error: module m: combinational loop through 1 cell; signals run\n"
                          "  m: instance of wire %20 at t:5: a to y [loop]"));
}

TEST(CheckLoops, InsideAModuleIsSaidOnce) {
  EXPECT_THAT(errors(top("%20 = instance n a=%4\n%21 = instance n a=%20\n"
                         "module n\ninput a = %3\noutput y = %4\n%4 = LUT2 I0=%3 I1=%4")),
              ElementsAre("error: module n: combinational loop through 1 cell; signals run\n"
                          "  n: LUT2 %4 at t:10: I1 to O [loop]"));
}

// A chain written back to front: no loop, however deep.
TEST(CheckLoops, DepthIsNoMatter) {
  Design d;
  Module& m = d.add_module("m");
  d.set_top(m.id());
  constexpr std::uint32_t length = 200'000;
  Net first = m.fresh_nets(length + 1);
  for (std::uint32_t i = 0; i < length; ++i) {
    Net in{first.index + i + 1};
    m.add_cell_driving({first.index + i}, Kind::lut1, 1, std::span(&in, 1), {}, {});
  }
  Net end{first.index + length}, start = first;
  m.add_input_driving(std::span(&end, 1), "a");
  m.add_output("y", std::span(&start, 1));
  EXPECT_TRUE(check(d).empty());
  m.mutable_inputs({length - 1})[0] = first;
  auto found = check(d, {.warnings = false});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message.find("module m: combinational loop through 200000 cells"), 0u);
}

}  // namespace check_loops_test
}  // namespace kumiki::ir
