// SPDX-License-Identifier: Apache-2.0
#include "ir/primitives/dsp48e2_legality.h"

#include <gmock/gmock.h>

#include <set>

#include "ir/error.h"
#include "tests/support/dsp48e2_traces.h"

namespace kumiki::ir {
namespace primitives_dsp48e2_legality_test {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace dsp48e2;

Dsp48e2KnownControls controls(std::uint16_t opmode, std::uint16_t alumode = 0,
                              std::uint16_t carryinsel = 0) {
  return {.opmode = {opmode, 0x1ff}, .alumode = {alumode, 0xf}, .carryinsel = {carryinsel, 7}};
}

constexpr std::uint16_t m = 0b000000101, ab_plus_c = 0b000110011;

TEST(Dsp48e2Legality, DefaultsAreLegal) {
  EXPECT_THAT(violations(Dsp48e2Attributes{}), IsEmpty());
  EXPECT_THAT(violations(Dsp48e2Attributes{}, controls(m)), IsEmpty());
}

TEST(Dsp48e2Legality, EveryRecordedTraceIsLegal) {
  for (const auto& trace : tests::read_dsp_traces(ir::Kind::dsp48e2))
    for (const auto& cycle : trace.cycles)
      EXPECT_THAT(
          violations(trace.attributes, controls(static_cast<std::uint16_t>(cycle.in.opmode),
                                                static_cast<std::uint16_t>(cycle.in.alumode),
                                                static_cast<std::uint16_t>(cycle.in.carryinsel))),
          IsEmpty())
          << trace.name;
}

TEST(Dsp48e2Legality, Ranges) {
  EXPECT_THAT(violations({.areg = 3, .mreg = 2}),
              ElementsAre("AREG is 3; it must be at most 2", "MREG is 2; it must be at most 1"));
  EXPECT_THAT(violations({.mask = std::uint64_t{1} << 48}),
              ElementsAre("MASK is 281474976710656; it must be at most 281474976710655"));
}

TEST(Dsp48e2Legality, CascadeRegisters) {
  EXPECT_THAT(violations({.areg = 2, .acascreg = 0}),
              ElementsAre("ACASCREG is 0 with AREG 2: it must equal AREG, or be 1"));
  EXPECT_THAT(violations({.breg = 0, .bcascreg = 1}),
              ElementsAre("BCASCREG is 1 with BREG 0: it must equal BREG"));
  EXPECT_THAT(violations({.areg = 1, .acascreg = 2}),
              ElementsAre("ACASCREG is 2 with AREG 1: it must equal AREG"));
  EXPECT_THAT(violations({.areg = 2, .acascreg = 1, .breg = 2, .bcascreg = 2}), IsEmpty());
}

TEST(Dsp48e2Legality, Multiplier) {
  EXPECT_THAT(violations({.mreg = 1, .use_mult = UseMult::none}),
              ElementsAre("USE_MULT is NONE with MREG 1: without the multiplier MREG must be 0"));
  EXPECT_THAT(violations({.use_simd = UseSimd::four12}),
              ElementsAre("USE_SIMD is FOUR12 with USE_MULT MULTIPLY: it needs USE_MULT NONE"));
  EXPECT_THAT(violations({.mreg = 0, .use_mult = UseMult::none, .use_simd = UseSimd::two24}),
              IsEmpty());
}

TEST(Dsp48e2Legality, AutoReset) {
  EXPECT_THAT(
      violations({.preg = 0, .autoreset_patdet = AutoReset::reset_match}),
      ElementsAre(
          "AUTORESET_PATDET is RESET_MATCH with USE_PATTERN_DETECT NO_PATDET: it needs PATDET",
          "AUTORESET_PATDET is RESET_MATCH with PREG 0: it clears P, so PREG must be 1"));
}

TEST(Dsp48e2Legality, HalfAProduct) {
  constexpr auto message =
      "OPMODE selects M on one of X and Y only: each carries a half of the product, so OPMODE[1:0] "
      "is 01 if and only if OPMODE[3:2] is 01";
  EXPECT_THAT(violations({}, controls(0b000000001)), ElementsAre(message));
  EXPECT_THAT(violations({}, controls(0b000001100 | 0b01)), ElementsAre(message));
  EXPECT_THAT(violations({}, controls(0b000000100)), ElementsAre(message));
}

TEST(Dsp48e2Legality, ProductWithoutMultiplier) {
  EXPECT_THAT(
      violations({.mreg = 0, .use_mult = UseMult::none}, controls(m)),
      ElementsAre(
          "OPMODE selects M with USE_MULT NONE: the product needs USE_MULT MULTIPLY or DYNAMIC"));
}

TEST(Dsp48e2Legality, ConcatenationBesideAMultiplier) {
  constexpr auto message =
      "OPMODE[1:0] is 11 (A:B) with USE_MULT MULTIPLY: two of (AREG or BREG), MREG and PREG must "
      "not be 0, or USE_MULT must be DYNAMIC or NONE";
  Dsp48e2Attributes bare{.areg = 0, .acascreg = 0, .breg = 0, .bcascreg = 0};
  EXPECT_THAT(violations(bare, controls(ab_plus_c)), IsEmpty());
  bare.mreg = 0;
  EXPECT_THAT(violations(bare, controls(ab_plus_c)), ElementsAre(message));
  bare.breg = bare.bcascreg = 1;
  EXPECT_THAT(violations(bare, controls(ab_plus_c)), IsEmpty());
  bare.preg = 0;
  EXPECT_THAT(violations(bare, controls(ab_plus_c)), ElementsAre(message));
  bare.use_mult = UseMult::dynamic;
  EXPECT_THAT(violations(bare, controls(ab_plus_c)), IsEmpty());
}

TEST(Dsp48e2Legality, FeedbackNeedsP) {
  Dsp48e2Attributes no_p{.preg = 0};
  EXPECT_THAT(violations(no_p, controls(0b000000010)),
              ElementsAre("OPMODE[1:0] 10 reads P with PREG 0: PREG must be 1"));
  EXPECT_THAT(violations(no_p, controls(0b010100000)),
              ElementsAre("OPMODE[6:4] 010 reads P with PREG 0: PREG must be 1",
                          "OPMODE[8:7] 01 reads P with PREG 0: PREG must be 1"));
  EXPECT_THAT(violations(no_p, controls(0b001110000)),
              ElementsAre("OPMODE[6:4] 11x reads P with PREG 0: PREG must be 1"));
  EXPECT_THAT(violations(no_p, controls(0b001001000)),
              ElementsAre("OPMODE[6:4] 100 reads P with PREG 0: PREG must be 1"));
  for (std::uint16_t sel : {4, 5, 7})
    EXPECT_THAT(violations(no_p, controls(m, 0, sel)), testing::SizeIs(1)) << sel;
  EXPECT_THAT(violations(no_p, controls(m, 0, 5)),
              ElementsAre("CARRYINSEL 101 reads P with PREG 0: PREG must be 1"));
  for (std::uint16_t sel : {0, 1, 2, 3, 6})
    EXPECT_THAT(violations(no_p, controls(0b000110000, 0, sel)), IsEmpty()) << sel;
}

TEST(Dsp48e2Legality, CascadedCarry) {
  EXPECT_THAT(violations({.opmodereg = 0}, controls(0b000110000, 0, 2)),
              ElementsAre("CARRYINSEL is 010 (CARRYCASCIN) with OPMODEREG 0: OPMODEREG must be 1, "
                          "or the sum after a reset is not what is simulated"));
  EXPECT_THAT(violations({}, controls(m, 0, 2)),
              ElementsAre("CARRYINSEL is 010 (CARRYCASCIN) with OPMODE[3:0] 0101 (M): a cascaded "
                          "carry cannot be added to a product"));
  EXPECT_THAT(violations({}, controls(0b001001000, 0, 2)), IsEmpty());
}

TEST(Dsp48e2Legality, MaccExtend) {
  constexpr auto message =
      "OPMODE[6:4] is 100 (MACC extend): OPMODE must then be 00_100_10_00 as a whole";
  EXPECT_THAT(violations({}, controls(0b001001100)), ElementsAre(message));
  EXPECT_THAT(violations({}, controls(0b101001000)), ElementsAre(message));
  EXPECT_THAT(violations({}, controls(0b001001010)), ElementsAre(message));
}

TEST(Dsp48e2Legality, RoundingNeedsAProduct) {
  EXPECT_THAT(violations({.mreg = 0, .use_mult = UseMult::none}, controls(0, 0, 6)),
              ElementsAre("CARRYINSEL is 110 (rounding of the product) with USE_MULT NONE: it "
                          "needs USE_MULT MULTIPLY or DYNAMIC"));
}

TEST(Dsp48e2Legality, LogicUnit) {
  EXPECT_THAT(violations({}, controls(ab_plus_c, 0b0100)), IsEmpty());
  EXPECT_THAT(violations({}, controls(ab_plus_c | 0b1000, 0b1100)), IsEmpty());
  EXPECT_THAT(
      violations({}, controls(ab_plus_c, 0b1001)),
      ElementsAre("ALUMODE is 10xx; it must be 00xx (adder), or 01xx or 11xx (logic unit)"));
  EXPECT_THAT(violations({}, controls(0b100111111, 0b0100)),
              ElementsAre("ALUMODE selects the logic unit: OPMODE[8:7] (W) must be 00",
                          "ALUMODE selects the logic unit: OPMODE[3:2] (Y) must be 00 or 10"));
  EXPECT_THAT(violations({}, controls(m, 0b0100)),
              ElementsAre("ALUMODE selects the logic unit: OPMODE[3:2] (Y) must be 00 or 10",
                          "ALUMODE selects the logic unit: OPMODE[1:0] (X) must be 00, 10 (P) or "
                          "11 (A:B)"));
}

TEST(Dsp48e2Legality, InvertersCountAndUnknownBitsAreForgiven) {
  EXPECT_THAT(violations({.is_opmode_inverted = 0b101}, controls(0)), IsEmpty());
  EXPECT_THAT(violations({.is_opmode_inverted = 0b001}, controls(0)), testing::SizeIs(1));
  // OPMODE[0] tied to 1 and [1] to 0, the rest from logic: Y may become 01.
  EXPECT_THAT(violations({}, {.opmode = {0b01, 0b11}}), IsEmpty());
  // With OPMODE[3] tied to 1 it cannot.
  EXPECT_THAT(violations({}, {.opmode = {0b1001, 0b1011}}), testing::SizeIs(1));
}

Dsp48e2KnownControls e1_controls(std::uint64_t opmode, std::uint64_t alumode = 0,
                                 std::uint64_t carryinsel = 0, std::uint64_t inmode = 0) {
  const auto bits = [](std::uint64_t value, std::uint16_t known) {
    return Dsp48e2KnownBits{static_cast<std::uint16_t>(value), known};
  };
  return {.opmode = bits(opmode, 0x7f),
          .alumode = bits(alumode, 0xf),
          .carryinsel = bits(carryinsel, 7),
          .inmode = bits(inmode, 0x1f)};
}

constexpr Dsp48e2Attributes e1{.kind = Kind::dsp48e1};

TEST(Dsp48e1Legality, EveryRecordedTraceIsLegal) {
  for (const auto& trace : tests::read_dsp_traces(Kind::dsp48e1))
    for (const auto& cycle : trace.cycles)
      ASSERT_THAT(violations(trace.attributes, e1_controls(cycle.in.opmode, cycle.in.alumode,
                                                           cycle.in.carryinsel, cycle.in.inmode)),
                  IsEmpty())
          << trace.name;
}

// UG479 defines 61 values of OPMODE, and 154 pairs with CARRYINSEL. The traces have them all.
TEST(Dsp48e1Legality, PairsAreThoseOfTheTraces) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> recorded, legal;
  for (const auto& trace : tests::read_dsp_traces(Kind::dsp48e1)) {
    const auto& a = trace.attributes;
    Dsp48e2State state;
    for (const auto& cycle : trace.cycles) {
      clock(a, state, cycle.in);
      const auto opmode = a.opmodereg != 0 ? state.opmode : cycle.in.opmode ^ a.is_opmode_inverted;
      recorded.emplace(opmode, a.carryinselreg != 0 ? state.carryinsel : cycle.in.carryinsel);
    }
  }
  std::set<std::uint64_t> opmodes;
  for (std::uint64_t opmode = 0; opmode < 128; ++opmode)
    for (std::uint64_t carryinsel = 0; carryinsel < 8; ++carryinsel)
      if (violations(e1, e1_controls(opmode, 0, carryinsel)).empty())
        legal.emplace(opmode, carryinsel), opmodes.insert(opmode);
  EXPECT_EQ(opmodes.size(), 61u);
  EXPECT_EQ(legal.size(), 154u);
  EXPECT_EQ(legal, recorded);
}

TEST(Dsp48e1Legality, CarriesBelongToOperands) {
  EXPECT_THAT(violations(e1, e1_controls(0b0110101, 0, 3)),
              ElementsAre("CARRYINSEL is 011 with OPMODE 0110101: it must be 000 or 110"));
  EXPECT_THAT(violations(e1, e1_controls(0b1001000)),
              ElementsAre("CARRYINSEL is 000 with OPMODE 1001000: it must be 010"));
  // With PCIN instead of C, CARRYINSEL 011 rounds it.
  EXPECT_THAT(violations(e1, {.opmode = {0b0010101, 0b1011111}, .carryinsel = {3, 7}}), IsEmpty());
  EXPECT_THAT(violations(e1, {.opmode = {0b0110101, 0b0111111}, .carryinsel = {3, 7}}),
              ElementsAre("CARRYINSEL is 011 with OPMODE x110101: it must be 000 or 110"));
}

TEST(Dsp48e1Legality, SmallerThanTheDsp48e2) {
  EXPECT_THAT(violations(e1, e1_controls(0b1110101)),
              ElementsAre("OPMODE[6:4] is 111: use 110 for P >> 17"));
  EXPECT_THAT(
      violations(e1, e1_controls(0b1000101)),
      testing::Contains("OPMODE[6:4] is 100 (MACC extend): OPMODE must then be 100_10_00 as a "
                        "whole"));
  EXPECT_THAT(violations(e1, e1_controls(m, 0, 0, 0b01100)),
              ElementsAre("INMODE[3:2] is not 0 with USE_DPORT FALSE: nothing is selected there"));
  Dsp48e2Attributes dport = e1;
  dport.amultsel = AMultSel::ad;
  EXPECT_THAT(violations(dport, e1_controls(m, 0, 0, 0b01100)), IsEmpty());
  dport.areg = dport.acascreg = dport.breg = dport.bcascreg = 0;
  EXPECT_THAT(violations(dport, e1_controls(m, 0, 0, 0b10001)),
              ElementsAre("INMODE[0] is not 0 with AREG 0: nothing is selected there",
                          "INMODE[4] is not 0 with BREG 0: nothing is selected there"));
  EXPECT_THAT(violations({.kind = Kind::dsp48e1, .use_simd = UseSimd::two24}),
              ElementsAre("USE_SIMD is TWO24 with USE_MULT MULTIPLY: it needs USE_MULT NONE"));
}

TEST(Dsp48e1Attributes, AreAPartOfThoseOfTheDsp48e2) {
  EXPECT_EQ(dsp_parameters(Kind::dsp48e1).size(), 30u);
  for (const auto& p : dsp_parameters(Kind::dsp48e1))
    EXPECT_TRUE(p.param.name == "USE_DPORT" || find_dsp_parameter(Kind::dsp48e2, p.param.name))
        << p.param.name;
  Dsp48e2Attributes a = e1;
  set_parameter(a, "USE_DPORT", "TRUE");
  set_parameter(a, "IS_OPMODE_INVERTED", "7'h41");
  EXPECT_EQ(verilog_parameters(a), ".IS_OPMODE_INVERTED(7'h41), .USE_DPORT(\"TRUE\")");
  EXPECT_EQ(dsp_attributes(Kind::dsp48e1, dsp_param_words(a)), a);
  EXPECT_THROW(set_parameter(a, "RND", "1"), DesignError);
  EXPECT_THROW(set_parameter(a, "IS_OPMODE_INVERTED", "9'h100"), DesignError);
}

TEST(Dsp48e2Attributes, ReadAndWritten) {
  Dsp48e2Attributes a;
  set_parameter(a, "AREG", "2");
  set_parameter(a, "USE_MULT", "\"NONE\"");
  set_parameter(a, "USE_SIMD", "TWO24");
  set_parameter(a, "RND", "48'h0000_dead_beef");
  set_parameter(a, "MASK", "0xFf");
  set_parameter(a, "IS_OPMODE_INVERTED", "9'b1_0000_0001");
  EXPECT_EQ(verilog_parameters(a),
            ".AREG(2), .IS_OPMODE_INVERTED(9'h101), .MASK(48'hff), .RND(48'hdeadbeef), "
            ".USE_MULT(\"NONE\"), .USE_SIMD(\"TWO24\")");
  EXPECT_EQ(verilog_parameters({}), "");
  EXPECT_EQ(dsp_attributes(Kind::dsp48e2, dsp_param_words(a)), a);
}

TEST(Dsp48e2Attributes, EveryParameterComesBackFromItsText) {
  for (const auto& p : dsp_parameters(Kind::dsp48e2))
    for (std::uint64_t value : {std::uint64_t{0}, p.max / 2, p.max})
      EXPECT_EQ(parse_value(Kind::dsp48e2, p, verilog_value(p, value)), value) << p.param.name;
}

std::string message(std::string_view name, std::string_view value) {
  Dsp48e2Attributes a;
  try {
    set_parameter(a, name, value);
  } catch (const DesignError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Dsp48e2Attributes, RefusesWithTheLegalValues) {
  EXPECT_EQ(message("AREG", "3"), "DSP48E2: AREG cannot be 3; it must be 0 to 2");
  EXPECT_EQ(message("AREG", ""), "DSP48E2: AREG cannot be ; it must be 0 to 2");
  EXPECT_EQ(message("PREG", "-1"), "DSP48E2: PREG cannot be -1; it must be 0 to 1");
  EXPECT_EQ(message("USE_SIMD", "none"),
            "DSP48E2: USE_SIMD cannot be none; it must be ONE48, TWO24, FOUR12");
  EXPECT_EQ(message("RND", "48'hx"),
            "DSP48E2: RND cannot be 48'hx; it must be a number of 48 bits");
  EXPECT_EQ(message("RND", "0x1000000000000"),
            "DSP48E2: RND cannot be 0x1000000000000; it must be a number of 48 bits");
  EXPECT_EQ(message("IS_CLK_INVERTED", "2"),
            "DSP48E2: IS_CLK_INVERTED cannot be 2; it must be a number of 1 bit");
  EXPECT_EQ(message("DREGS", "1"), "DSP48E2 has no parameter DREGS");
}

}  // namespace primitives_dsp48e2_legality_test
}  // namespace kumiki::ir
