// SPDX-License-Identifier: Apache-2.0
#include "tests/ir/check/findings.h"

namespace kumiki::ir {
namespace check_parameters_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CheckParameters, ValuesFit) {
  EXPECT_THAT(errors(top("%20 = LUT1 I0=%4 INIT=0b11\n%21 = LUT3 I0=%4 I1=%4 I2=%4 INIT=0xff")),
              IsEmpty());
  EXPECT_THAT(errors(top("%20 = LUT1 I0=%4 INIT=4\n%21 = LUT3 I0=%4 I1=%4 I2=%4 INIT=0x1ff")),
              ElementsAre("error: module m: LUT1 %20 at t:5: parameter INIT = 0x4 does not fit 2 "
                          "bits [parameter]",
                          "error: module m: LUT3 %21 at t:6: parameter INIT = 0x1ff does not fit 8 "
                          "bits [parameter]"));
  EXPECT_THAT(errors(top("%20 = LUT6 I0=%4 I1=%4 I2=%4 I3=%4 I4=%4 I5=%4 "
                         "INIT=0xffffffffffffffff")),
              IsEmpty());
  EXPECT_THAT(errors(top("%20..27 = MEMORY CLK=%3 RADDR=%4 WIDTH=8 DEPTH=0x100000002 READ=3")),
              ElementsAre("error: module m: MEMORY %20 at t:5: parameter DEPTH = 0x100000002 does "
                          "not fit 32 bits [parameter]",
                          "error: module m: MEMORY %20 at t:5: parameter READ has no choice 3; use "
                          "one of ASYNC REGISTERED TWICE_REGISTERED [parameter]"));
}

// Neighbours share one block of values; every one of them is named.
TEST(CheckParameters, EveryCellWithABadValueIsNamed) {
  EXPECT_THAT(errors(top("%20 = LUT1 I0=%4 INIT=1\n%21 = LUT1 I0=%4 INIT=5\n"
                         "%22 = LUT1 I0=%4 INIT=5\n%23 = LUT1 I0=%4 INIT=1")),
              ElementsAre("error: module m: LUT1 %21 at t:6: parameter INIT = 0x5 does not fit 2 "
                          "bits [parameter]",
                          "error: module m: LUT1 %22 at t:7: parameter INIT = 0x5 does not fit 2 "
                          "bits [parameter]"));
}

TEST(CheckParameters, MemoriesHaveWordsAndBits) {
  EXPECT_THAT(
      errors(top("%20 = MEMORY CLK=%3 RADDR=%4 DEPTH=1 WIDTH=1 ADDRESS_BITS=1")),
      ElementsAre("error: module m: MEMORY %20 at t:5: a memory of 1 words of 1 bits is not "
                  "possible; it must have 2 to 2^24 words of 1 to 4096 bits [illegal]"));
  EXPECT_THAT(errors(top("%20 = MEMORY CLK=%3 RADDR=%4 DEPTH=2 WIDTH=1 ADDRESS_BITS=1")),
              IsEmpty());
}

TEST(CheckParameters, ContentsFitTheirMemory) {
  auto memory = [](const char* contents) {
    return errors(
        top("%20..22 = MEMORY CLK=%3 RADDR=%4..5 DEPTH=4 WIDTH=3 ADDRESS_BITS=2 "
            "CONTENTS=" +
            std::string(contents)));
  };
  EXPECT_THAT(memory("3:7,0,1,2"), IsEmpty());
  EXPECT_THAT(memory("3:7"), IsEmpty());
  EXPECT_THAT(memory("3:0*5"),
              ElementsAre("error: module m: MEMORY %20 at t:5: 5 words of contents for a memory of "
                          "4 [parameter]"));
  EXPECT_THAT(memory("3:0,8"),
              ElementsAre("error: module m: MEMORY %20 at t:5: word 1 of the contents does not fit "
                          "3 bits [parameter]"));
  EXPECT_THAT(memory("4:0"),
              ElementsAre("error: module m: MEMORY %20 at t:5: contents are 4 bits wide, the "
                          "memory 3 [illegal]"));
  EXPECT_THAT(memory("0:"),
              ElementsAre("error: module m: MEMORY %20 at t:5: contents are 0 bits wide, the "
                          "memory 3 [illegal]"));
}

TEST(CheckParameters, RulesOfPrimitivesAndFamilies) {
  auto carry8 = "%20..35 = CARRY8 DI=0*8 S=%4..11";
  EXPECT_THAT(errors(top(carry8, "ultrascale")), IsEmpty());
  EXPECT_THAT(errors(top(carry8, "7series")),
              ElementsAre("error: module m: CARRY8 %20 at t:5: CARRY8 does not exist in the "
                          "7series family; use CARRY4 [illegal]"));
  EXPECT_THAT(errors(top("%20 = FDRE C=%3 D=%4 IS_C_INVERTED=1")),
              ElementsAre("error: module m: FDRE %20 at t:5: IS_C_INVERTED must be 0: every "
                          "register here works on the rising edge [illegal]"));
  auto ultra = "%20 = MEMORY CLK=%3 RADDR=%4 STYLE=ultra READ=REGISTERED";
  EXPECT_THAT(errors(top(ultra, "ultrascale+")), IsEmpty());
  EXPECT_THAT(errors(top(ultra, "ultrascale")),
              ElementsAre("error: module m: MEMORY %20 at t:5: UltraRAM exists in the ultrascale+ "
                          "family only [illegal]"));
  const auto uram = [](const std::string& how) { return top("%20..165 = URAM288 CLK=%3" + how); };
  EXPECT_THAT(errors(uram("")), IsEmpty());
  EXPECT_THAT(errors(uram(" OREG_A=TRUE USE_EXT_CE_A=TRUE OREG_CE_A=%4")), IsEmpty());
  EXPECT_THAT(errors(uram(" OREG_CE_A=%4")),
              ElementsAre("error: module m: URAM288 %20 at t:5: OREG_CE_A must be 0 without "
                          "USE_EXT_CE_A [illegal]"));
  EXPECT_THAT(errors(uram(" USE_EXT_CE_B=TRUE OREG_CE_B=%4")),
              ElementsAre("error: module m: URAM288 %20 at t:5: USE_EXT_CE_B must be FALSE without "
                          "OREG_B [illegal]"));
  EXPECT_THAT(errors(uram(" RST_MODE_B=ASYNC")),
              ElementsAre("error: module m: URAM288 %20 at t:5: RST_MODE_B must be SYNC: no reset "
                          "here is asynchronous [illegal]"));
  EXPECT_THAT(errors(uram(" IS_CLK_INVERTED=1")),
              ElementsAre("error: module m: URAM288 %20 at t:5: IS_CLK_INVERTED must be 0: every "
                          "register here works on the rising edge [illegal]"));
  EXPECT_THAT(errors(top("%20..165 = URAM288 CLK=%3", "ultrascale")),
              ElementsAre("error: module m: URAM288 %20 at t:5: UltraRAM exists in the ultrascale+ "
                          "family only [illegal]"));
  EXPECT_THAT(errors(top("%20..27 = CARRY4 CI=%40 CYINIT=%4 DI=0*4 S=%4..7\n"
                         "%37..44 = CARRY4 DI=0*4 S=%4..7")),
              ElementsAre("error: module m: CARRY4 %20 at t:5: CARRY4 uses CI or CYINIT, never "
                          "both: tie one of them to 0 [illegal]"));
}

}  // namespace check_parameters_test
}  // namespace kumiki::ir
