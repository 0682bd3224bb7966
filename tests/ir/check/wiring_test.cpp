// SPDX-License-Identifier: Apache-2.0
#include "tests/ir/check/findings.h"

namespace kumiki::ir {
namespace check_wiring_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto carry_rule =
    "; its source must be CO[3] of a CARRY4 or the constant 0, fabric and 1 enter through CYINIT "
    "[carry-wiring]";
constexpr auto lut_rule =
    "; its source must be a LUT output (O of LUT1 to LUT6, O6 of LUT6_2) [mux-wiring]";
constexpr auto mux_rule = "; its source must be the output of a MUXF7 [mux-wiring]";

std::string carry(const char* ci) {
  return "%20..27 = CARRY4 DI=0*4 S=%4..7\n%30..37 = CARRY4 CI=" + std::string(ci) +
         " DI=0*4 S=%4..7";
}

TEST(CheckWiring, CarryInput) {
  EXPECT_THAT(errors(top(carry("%23"))), IsEmpty());
  EXPECT_THAT(errors(top(carry("0"))), IsEmpty());
  EXPECT_THAT(errors(top(carry("1"))),
              ElementsAre("error: module m: CARRY4 %30 at t:6: pin CI is driven by 1" +
                          std::string(carry_rule)));
  EXPECT_THAT(
      errors(top(carry("%22"))),
      ElementsAre("error: module m: CARRY4 %30 at t:6: pin CI is driven by CARRY4 %20.CO[2] "
                  "at t:5" +
                  std::string(carry_rule)));
  EXPECT_THAT(errors(top(carry("%27"))),
              ElementsAre(HasSubstr("pin CI is driven by CARRY4 %20.O[3] at t:5")));
  EXPECT_THAT(errors(top(carry("%4"))),
              ElementsAre("error: module m: CARRY4 %30 at t:6: pin CI is driven by input a[0]" +
                          std::string(carry_rule)));
  EXPECT_THAT(errors(top("%12 = FDRE C=%3 D=%4\n" + carry("%12"))),
              ElementsAre(HasSubstr("pin CI is driven by FDRE %12.Q at t:5")));
}

TEST(CheckWiring, OneCarryInputForEachCarryOutput) {
  EXPECT_THAT(
      errors(top(carry("%23") + "\n%40..47 = CARRY4 CI=%23 DI=0*4 S=%4..7")),
      ElementsAre(
          "error: module m: CARRY4 %40 at t:7: pin CI shares its net with CARRY4 %30 at "
          "t:6: pin CI: CO[3] reaches one CI only, that of the block above [carry-wiring]"));
}

TEST(CheckWiring, Carry8TakesItsCarryFromAnywhere) {
  for (auto ci : {"%27", "%26", "%4", "0", "1"})
    EXPECT_THAT(errors(top("%20..35 = CARRY8 DI=0*8 S=%4..11\n%40..55 = CARRY8 CI=" +
                           std::string(ci) + " DI=0*8 S=%4..11")),
                IsEmpty());
  EXPECT_THAT(errors(top("%20..35 = CARRY8 DI=0*8 S=%4..11\n%40..47 = CARRY4 CI=%27 DI=0*4 "
                         "S=%4..7")),
              ElementsAre(HasSubstr("pin CI is driven by CARRY8 %20.CO[7] at t:5")));
}

TEST(CheckWiring, WideMultiplexers) {
  auto mux = [](const char* i0, const char* i1) {
    return top(
        "%20 = LUT6 I0=%4 I1=%5 I2=%6 I3=%7 I4=%8 I5=%9\n"
        "%21..22 = LUT6_2 I0=%4 I1=%5 I2=%6 I3=%7 I4=%8 I5=%9\n"
        "%23 = MUXF7 I0=%20 I1=%21 S=%4\n%24 = FDRE C=%3 D=%4\n%25 = MUXF8 I0=%23 I1=%23 "
        "S=%4\n%26 = MUXF7 I0=" +
        std::string(i0) + " I1=%20 S=%24\n%27 = MUXF8 I0=%23 I1=" + i1 + " S=%24");
  };
  EXPECT_THAT(errors(mux("%20", "%23")), IsEmpty());
  EXPECT_THAT(errors(mux("%22", "%23")),
              ElementsAre("error: module m: MUXF7 %26 at t:10: pin I0 is driven by LUT6_2 %21.O5 "
                          "at t:6" +
                          std::string(lut_rule)));
  EXPECT_THAT(errors(mux("%24", "%20")),
              ElementsAre("error: module m: MUXF7 %26 at t:10: pin I0 is driven by FDRE %24.Q at "
                          "t:8" +
                              std::string(lut_rule),
                          "error: module m: MUXF8 %27 at t:11: pin I1 is driven by LUT6 %20.O at "
                          "t:5" +
                              std::string(mux_rule)));
  EXPECT_THAT(errors(mux("%23", "%25")),
              ElementsAre(HasSubstr("pin I0 is driven by MUXF7 %23.O at t:7"),
                          HasSubstr("pin I1 is driven by MUXF8 %25.O at t:9")));
  EXPECT_THAT(errors(mux("0", "1")),
              ElementsAre(HasSubstr("MUXF7 %26 at t:10: pin I0 is driven by 0"),
                          HasSubstr("MUXF8 %27 at t:11: pin I1 is driven by "
                                    "1")));
}

TEST(CheckWiring, VectorsElementByElement) {
  EXPECT_THAT(errors(top("%20..23 = LUT6_2*2 I0=%4*2 I1=%4*2 I2=%4*2 I3=%4*2 I4=%4*2 I5=%4*2\n"
                         "%24..25 = MUXF7*2 I0=%20..21 I1=%20,%22 S=%4*2")),
              ElementsAre("error: module m: MUXF7*2 %24 at t:6: pin I1[1] is driven by LUT6_2*2 "
                          "%20.O5[0] at t:5" +
                          std::string(lut_rule)));
}

// The two halves of an adder, the lower one in a module and the upper one in another.
std::string split(const char* carry, const char* lower = "%7") {
  return top("%20 = instance low a=%4..7\n%21 = LUT1 I0=%4\n%22 = instance high c=" +
             std::string(carry) + " a=%8..11\nmodule low\ninput a = %3..6\noutput c = " + lower +
             "\n%4000..4007 = CARRY4 DI=0*4 S=%3..6\n%7 = instance wire a=%4003\n%8 = LUT1 I0=%3\n"
             "module wire\ninput a = %3\noutput y = %3\n"
             "module high\ninput c = %3\ninput a = %4..7\noutput y = %15\n"
             "%8..15 = CARRY4 CI=%3 DI=0*4 S=%4..7");
}

TEST(CheckWiring, RulesFollowTheNetThroughPorts) {
  EXPECT_THAT(errors(split("%20")), IsEmpty());
  EXPECT_THAT(errors(split("0")), IsEmpty());
  EXPECT_THAT(errors(split("%21")),
              ElementsAre("error: module m: CARRY4 %8 in module high at t:21: pin CI is driven by "
                          "LUT1 %21.O at t:6" +
                          std::string(carry_rule)));
  EXPECT_THAT(errors(split("%20", "%8")),
              ElementsAre("error: module m: CARRY4 %8 in module high at t:21: pin CI is driven by "
                          "LUT1 %8.O in module low at t:13" +
                          std::string(carry_rule)));
  EXPECT_THAT(errors(split("%4")),
              ElementsAre(HasSubstr("CARRY4 %8 in module high at t:21: pin CI is driven by input "
                                    "a[0]")));
}

TEST(CheckWiring, APlacedModuleLeavesTheRuleToItsParents) {
  EXPECT_THAT(errors("design ultrascale+ top high\nmodule high\ninput c = %3\ninput a = %4..7\n"
                     "output y = %15\n%8..15 = CARRY4 CI=%3 DI=0*4 S=%4..7\n"),
              ElementsAre("error: module high: CARRY4 %8 at t:6: pin CI is driven by input c" +
                          std::string(carry_rule)));
}

TEST(CheckWiring, OneCarryInputForEachCarryOutputAcrossModules) {
  // Taken inside the instance already.
  EXPECT_THAT(
      errors(top("%20 = instance n a=%4..7\n%30..37 = CARRY4 CI=%20 DI=0*4 S=%4..7\n"
                 "module n\ninput a = %3..6\noutput c = %10\n%7..14 = CARRY4 DI=0*4 S=%3..6\n"
                 "%20..27 = CARRY4 CI=%10 DI=0*4 S=%3..6")),
      ElementsAre("error: module m: CARRY4 %30 at t:6: pin CI shares its net with a CARRY4 "
                  "inside the instance that drives it: CO[3] reaches one CI only, that of "
                  "the block above [carry-wiring]"));
  // Two instances on one carry.
  EXPECT_THAT(errors(top("%20..27 = CARRY4 DI=0*4 S=%4..7\n%30 = instance n c=%23 a=%4..7\n"
                         "%31 = instance n c=%23 a=%4..7\n"
                         "module n\ninput c = %3\ninput a = %4..7\noutput y = %15\n"
                         "%8..15 = CARRY4 CI=%3 DI=0*4 S=%4..7")),
              ElementsAre("error: module m: CARRY4 %8 in module n at t:12: pin CI shares its net "
                          "with CARRY4 %8 in module n at t:12: pin CI: CO[3] reaches one CI only, "
                          "that of the block above [carry-wiring]"));
}

}  // namespace check_wiring_test
}  // namespace kumiki::ir
