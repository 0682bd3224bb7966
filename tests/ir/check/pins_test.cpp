// SPDX-License-Identifier: Apache-2.0
#include "tests/ir/check/findings.h"

namespace kumiki::ir {
namespace check_pins_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CheckPins, NothingIsWrongWithSmallDesigns) {
  EXPECT_THAT(findings("design 7series top m\nmodule m\n"), IsEmpty());
  EXPECT_THAT(findings("design 7series top m\nmodule m\ninput clk = %3\n"), IsEmpty());
  EXPECT_THAT(findings("design 7series top m\nmodule m\ninput a = %3\noutput y = %3,0,1\n"),
              IsEmpty());
  EXPECT_THAT(findings("design 7series top m\nmodule m\ninput a = %3\noutput y = %4\n"
                       "%4 = LUT1 I0=%3 INIT=1\n"),
              IsEmpty());
  EXPECT_THAT(findings("design 7series top m\nmodule m\noutput y = %4\n%4 = LUT1 I0=1 INIT=1\n"),
              IsEmpty());
}

TEST(CheckPins, UndrivenNets) {
  EXPECT_THAT(errors(top("name sum = %50,%20\n%30 = LUT2 I0=%20 I1=%4")),
              ElementsAre("error: module m: LUT2 %30 at t:6: pin I0 reads %20 (sum[1]), which "
                          "nothing drives [undriven]"));
  EXPECT_THAT(errors(top("%30..33 = FDRE*4 \"acc\" C=%3 D=%4,%20..21,%5")),
              ElementsAre("error: module m: FDRE*4 acc at t:5: pin D[1..2] reads %20..21, which "
                          "nothing drives [undriven]"));
  EXPECT_THAT(errors(top("output y = 0,%20,%4,%22,%21")),
              ElementsAre("error: module m: output y[1] reads %20, which nothing drives [undriven]",
                          "error: module m: output y[3] reads %22, which nothing drives [undriven]",
                          "error: module m: output y[4] reads %21, which nothing drives "
                          "[undriven]"));
}

TEST(CheckPins, UndrivenInputsOfInstances) {
  EXPECT_THAT(errors(top("%20 = instance n \"u0\" x=%30..31 z=%4\n"
                         "module n\ninput x = %3..4\ninput z = %5\noutput y = %6\n"
                         "%6 = LUT3 I0=%3 I1=%4 I2=%5")),
              ElementsAre("error: module m: instance of n u0 at t:5: input x[0..1] reads %30..31, "
                          "which nothing drives [undriven]"));
}

TEST(CheckPins, OpenPins) {
  EXPECT_THAT(errors(top("%20 = LUT1 I0=open\n%21 = FDRE C=%3 CE=open D=%4\noutput y = open*2")),
              ElementsAre("error: module m: LUT1 %20 at t:5: pin I0 is open, but needs a value; "
                          "connect it or tie it to 0 or 1 [open-pin]",
                          "error: module m: FDRE %21 at t:6: pin CE is open, but needs a value; "
                          "connect it or tie it to 0 or 1 [open-pin]",
                          "error: module m: output y[0..1] is open, but needs a value; connect it "
                          "or tie it to 0 or 1 [open-pin]"));
}

TEST(CheckPins, AnInputThatNobodyReadsMayStayOpen) {
  auto text = [](const char* inner) {
    return top(
        "%20 = instance n x=open,%4\nmodule n\ninput x = %3..4\noutput y = %5\n"
        "%5 = LUT1 I0=" +
        std::string(inner));
  };
  EXPECT_THAT(errors(text("%4")), IsEmpty());
  EXPECT_THAT(errors(text("%3")),
              ElementsAre("error: module m: instance of n %20 at t:5: input x[0] is open, but "
                          "needs a value; connect it or tie it to 0 or 1 [open-pin]"));
}

TEST(CheckPins, TwoDrivers) {
  EXPECT_THAT(errors(top("%20 = LUT1 I0=%4\n%20 = FDRE \"q\" C=%3 D=%4")),
              ElementsAre("error: module m: net %20 is driven by LUT1 %20.O at t:5 and by FDRE "
                          "q.Q at t:6 [multiply-driven]"));
  EXPECT_THAT(errors(top("%20..23 = LUT1*4 I0=%4..7\n%21..28 = CARRY4 DI=0*4 S=%4..7")),
              ElementsAre("error: module m: nets %21..23 are driven by LUT1*4 %20.O[1] at t:5 and "
                          "by CARRY4 %21.CO[0] at t:6 [multiply-driven]"));
  EXPECT_THAT(errors(top("%5 = LUT1 I0=%4")),
              ElementsAre("error: module m: net %5 is driven by input a[1] at t:4 and by LUT1 "
                          "%5.O at t:5 [multiply-driven]"));
  EXPECT_THAT(errors(top("input b = %4")),
              ElementsAre("error: module m: net %4 is driven by input a[0] at t:4 and by input b "
                          "at t:5 [multiply-driven]"));
  EXPECT_THAT(errors(top("%20 = instance n x=%4\n%20 = LUT1 I0=%4\n"
                         "module n\ninput x = %3\noutput y = %3")),
              ElementsAre("error: module m: net %20 is driven by instance of n %20.y at t:5 and by "
                          "LUT1 %20.O at t:6 [multiply-driven]"));
  EXPECT_THAT(errors(top("%20 = LUT1 I0=%4\n%20 = LUT1 I0=%5\n%20 = LUT1 I0=%6")),
              ElementsAre("error: module m: net %20 is driven by LUT1 %20.O at t:5 and by LUT1 "
                          "%20.O at t:6 [multiply-driven]",
                          "error: module m: net %20 is driven by LUT1 %20.O at t:5 and by LUT1 "
                          "%20.O at t:7 [multiply-driven]"));
}

TEST(CheckPins, ADriverOfAConstant) {
  Design d;
  Module& m = d.add_module("m");
  d.set_top(m.id());
  std::array<Net, 2> in{net_zero, net_one};
  m.add_cell_driving(net_one, Kind::lut1, 2, in, {}, place("c.cpp", 7));
  std::vector<std::string> all;
  for (const Finding& f : check(d, {.warnings = false})) all.push_back(to_string(f));
  EXPECT_THAT(all, ElementsAre("error: module m: LUT1*2 %1.O[0] at c.cpp:7 drives a constant, "
                               "which no cell may drive [multiply-driven]",
                               "error: module m: LUT1*2 %1.O[1] at c.cpp:7 drives the open net, "
                               "which no cell may drive [multiply-driven]"));
}

TEST(CheckPins, TheClockIsThePortClk) {
  EXPECT_THAT(errors(top("%20 = FDRE C=%4 D=%5")),
              ElementsAre("error: module m: FDRE %20 at t:5: pin C is a clock and reads %4; it "
                          "must be the module's input clk [clock]"));
  EXPECT_THAT(errors(top("%20 = SRL16E CLK=%99 D=%5 A0=0 A1=0 A2=0 A3=0\n"
                         "%21 = MEMORY CLK=0 RADDR=0")),
              ElementsAre("error: module m: SRL16E %20 at t:5: pin CLK is a clock and reads %99; "
                          "it must be the module's input clk [clock]",
                          "error: module m: MEMORY %21 at t:6: pin CLK is a clock and reads 0; it "
                          "must be the module's input clk [clock]"));
  EXPECT_THAT(errors("design ultrascale+ top m\nmodule m\ninput c = %3\n%4 = FDRE C=%3 D=0\n"),
              ElementsAre("error: module m: FDRE %4 at t:4: pin C is a clock and reads %3; the "
                          "module has no input clk of one bit [clock]"));
  EXPECT_THAT(errors("design ultrascale+ top m\nmodule m\ninput clk = %3..4\n"),
              ElementsAre("error: module m: port clk at t:3 must be an input of one bit: this name "
                          "is the clock's [clock]"));
  EXPECT_THAT(errors("design ultrascale+ top m\nmodule m\noutput clk = 0\n"),
              ElementsAre("error: module m: port clk at t:3 must be an input of one bit: this name "
                          "is the clock's [clock]"));
}

TEST(CheckPins, TheClockOfAnInstance) {
  auto text = [](const char* clock) {
    return top("%20 = instance n clk=" + std::string(clock) +
               " x=%4\nmodule n\ninput clk = %3\ninput x = %4\noutput y = %5\n"
               "%5 = FDRE C=%3 D=%4");
  };
  EXPECT_THAT(errors(text("%3")), IsEmpty());
  EXPECT_THAT(errors(text("%5")),
              ElementsAre("error: module m: instance of n %20 at t:5: input clk is a clock and "
                          "reads %5; it must be the module's input clk [clock]"));
  EXPECT_THAT(errors(text("open")),
              ElementsAre("error: module m: instance of n %20 at t:5: input clk is a clock and "
                          "reads open; it must be the module's input clk [clock]"));
}

TEST(CheckPins, TheClockIsNoData) {
  EXPECT_THAT(errors(top("%20 = LUT1 I0=%3\noutput y = %3,%20\n%21 = instance n x=%3\n"
                         "module n\ninput x = %3\noutput y = %4\n%4 = LUT1 I0=%3")),
              ElementsAre("error: module m: LUT1 %20 at t:5: pin I0 reads clk, but the clock must "
                          "go to clock pins only [clock]",
                          "error: module m: instance of n %21 at t:7: input x reads clk, but the "
                          "clock must go to clock pins only [clock]",
                          "error: module m: output y[0] reads clk, but the clock must go to clock "
                          "pins only [clock]"));
}

TEST(CheckPins, PastTheLimitFindingsAreCounted) {
  EXPECT_THAT(
      errors(top("%20..28 = LUT1*9 I0=%30,%40,%50,%60,%70,%80,%90,%100,%110"), {.limit = 2}),
      ElementsAre("error: module m: LUT1*9 %20 at t:5: pin I0[0] reads %30, which nothing "
                  "drives [undriven]",
                  "error: module m: LUT1*9 %20 at t:5: pin I0[1] reads %40, which nothing "
                  "drives [undriven]",
                  "error: 7 more findings of this kind are not listed [undriven]"));
}

TEST(CheckDesign, HasATop) {
  EXPECT_THAT(findings("design 7series\nmodule m\n"),
              ElementsAre("error: the design has no top module; call set_top, or write \"top\" in "
                          "its text [no-top]"));
}

TEST(CheckDesign, IsATree) {
  EXPECT_THAT(
      findings("design 7series top m\nmodule m\n- = instance n\nmodule n\n- = instance m\n"),
      ElementsAre("error: module m: contains itself; the instances of a design must form a tree "
                  "[recursion]"));
}

TEST(CheckDesign, FindingsCarryTheirFacts) {
  auto all = check(*parse(top("%20 = LUT1 I0=open\noutput y = %20"), "t"), {});
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].severity, Severity::error);
  EXPECT_EQ(all[0].code, code::open_pin);
  EXPECT_EQ(all[0].module, "m");
  EXPECT_EQ(to_string(all[0].place), "t:5");
}

TEST(CheckDesign, RequireLegalThrowsAllErrors) {
  require_legal(*parse(top("output y = %4"), "t"));
  try {
    require_legal(*parse(top("output y = open\n%20 = LUT1 I0=%30"), "t"));
    FAIL();
  } catch (const DesignError& e) {
    EXPECT_STREQ(
        e.what(),
        "module m: LUT1 %20 at t:6: pin I0 reads %30, which nothing drives [undriven]\nmodule m: "
        "output y is open, but needs a value; connect it or tie it to 0 or 1 [open-pin]");
    EXPECT_EQ(e.code(), code::undriven);
  }
}

TEST(CheckDesign, PortsAreFixedOnceAModuleStandsInAnother) {
  Design d;
  Module &n = d.add_module("n"), &m = d.add_module("m");
  m.add_instance(n.id(), {}, {});
  EXPECT_THROW(n.add_input("late", 1), DesignError);
}

TEST(CheckDesign, NetsThatDoNotExist) {
  auto d = parse(top("output y = %20\n%20 = LUT1 I0=%4"), "t");
  d->top().mutable_inputs({0})[0] = Net{1000};
  std::vector<std::string> all;
  for (const Finding& f : check(*d, {.warnings = false})) all.push_back(to_string(f));
  EXPECT_THAT(all, ElementsAre("error: module m: LUT1 %20 at t:6: pin I0 reads %1000, which "
                               "nothing drives [undriven]"));
}

}  // namespace check_pins_test
}  // namespace kumiki::ir
