// SPDX-License-Identifier: Apache-2.0
// A DSP48E2 by its registers: what is passed, what captures, what the data sheet allows.
#include "backends/timing/dsp.h"

#include <gtest/gtest.h>

#include "ir/primitives/dsp48e2_attributes.h"
#include "ir/primitives/dsp48e2_reach.h"
#include "tests/support/dsp48e2_random.h"

namespace kumiki::backends::timing {
namespace dsp_test {

using ir::timing::clock_limits;
using ir::timing::delays;
using ir::timing::levels;

using ir::Dsp48e2Attributes;
using In = ir::Dsp48e2Inputs;
using Out = ir::Dsp48e2Outputs;

constexpr auto plus = ir::Family::ultrascale_plus;
const Delays d = delays(plus, {});

std::size_t input(std::uint64_t In::*member) {
  std::size_t i = 0;
  while (ir::dsp48e2_input_pins[i].member != member) ++i;
  return i;
}
std::size_t output(std::uint64_t Out::*member) {
  std::size_t o = 0;
  while (ir::dsp48e2_output_pins[o].member != member) ++o;
  return o;
}

DspTiming timing_of(const Dsp48e2Attributes& a) { return dsp_timing(a, d); }

TEST(DspTiming, WithAllRegisters) {
  const DspTiming t = timing_of({});
  EXPECT_EQ(t.clk_to[output(&Out::p)], d.dsp.p_clk_to_q);
  EXPECT_EQ(t.clk_to[output(&Out::pcout)], d.dsp.p_clk_to_q + d.dsp.cascade_out);
  EXPECT_EQ(t.setup[input(&In::a)], d.dsp.setup);
  EXPECT_EQ(t.setup[input(&In::pcin)], d.dsp.alu + d.dsp.inner_setup);
  EXPECT_EQ(t.setup[input(&In::cep)], d.dsp.control);
  for (const auto& row : t.through)
    for (const Picoseconds through : row) EXPECT_EQ(through, never);
}

TEST(DspTiming, WithoutSome) {
  Dsp48e2Attributes a;
  a.mreg = a.preg = a.adreg = 0;
  DspTiming t = timing_of(a);
  EXPECT_EQ(t.clk_to[output(&Out::p)], d.dsp.clk_to_q + d.dsp.select + d.dsp.multiplier +
                                           d.dsp.past_m + d.dsp.alu + d.dsp.out);
  EXPECT_EQ(t.through[input(&In::pcin)][output(&Out::pcout)],
            d.dsp.alu + d.dsp.out + d.dsp.cascade_out);
  EXPECT_EQ(t.through[input(&In::a)][output(&Out::p)], never);
  a.areg = a.acascreg = 0;
  t = timing_of(a);
  EXPECT_EQ(t.through[input(&In::a)][output(&Out::p)],
            d.dsp.pin + d.dsp.select + d.dsp.multiplier + d.dsp.past_m + d.dsp.alu + d.dsp.out);
  EXPECT_EQ(t.through[input(&In::a)][output(&Out::acout)], d.dsp.pin + d.dsp.cascade_out);
}

// What passes is what the table of primitives says, for any registers.
TEST(DspTiming, PassesWhatThePrimitiveReaches) {
  tests::Random random(7);
  for (int i = 0; i < 600; ++i) {
    const auto a =
        tests::random_dsp48e2(random, i % 2 == 0 ? ir::Kind::dsp48e2 : ir::Kind::dsp48e1);
    const DspTiming t = timing_of(a);
    const DspTiming count = dsp_timing(a, levels());
    for (unsigned o = 0; o < DspTiming::outputs; ++o)
      for (unsigned in = 0; in < DspTiming::inputs; ++in) {
        const bool reaches = ir::combinational_inputs(a, o) >> in & 1;
        EXPECT_EQ(t.through[in][o] > 0, reaches)
            << ir::dsp48e2_input_pins[in].name << ir::dsp48e2_output_pins[o].name;
        EXPECT_EQ(count.through[in][o], reaches ? 1 : never);
      }
  }
}

// The figures of DS925, speed grade -1, by what is registered.
TEST(DspTiming, LimitsOfTheDataSheet) {
  const ClockLimits& sheet = clock_limits(plus, {1});
  const auto limit = [&](const Dsp48e2Attributes& a) { return dsp_limit(a, sheet); };
  Dsp48e2Attributes a;
  EXPECT_EQ(limit(a), 645u);
  a.use_pattern_detect = ir::dsp48e2::UsePatternDetect::patdet;
  EXPECT_EQ(limit(a), 571u);
  a.mreg = 0;
  EXPECT_EQ(limit(a), 410u);
  a.use_pattern_detect = ir::dsp48e2::UsePatternDetect::no_patdet;
  EXPECT_EQ(limit(a), 456u);
  a.amultsel = ir::dsp48e2::AMultSel::ad;
  EXPECT_EQ(limit(a), 456u);  // AD is registered
  a.adreg = 0;
  EXPECT_EQ(limit(a), 338u);
  a.mreg = 1;
  EXPECT_EQ(limit(a), 468u);
  a.use_mult = ir::dsp48e2::UseMult::none;
  EXPECT_EQ(limit(a), 645u);  // neither is used
}

// An estimate from pin to pin must not be faster than what the data sheet says of registers
// inside, nor so slow that a slice with all of them could not keep its clock.
TEST(DspTiming, KeepsTheClockOfTheDataSheetBetweenSlices) {
  for (const auto family : {ir::Family::ultrascale, plus})
    for (const int grade : {1, 2, 3}) {
      const Delays t = delays(family, {grade});
      const Picoseconds cascade = t.dsp.p_clk_to_q + t.dsp.cascade_out + t.wire.cascade +
                                  t.dsp.alu + t.dsp.inner_setup + t.uncertainty;
      EXPECT_LT(cascade, 1e6 / clock_limits(family, {grade}).dsp) << grade;
      const Picoseconds inside =
          t.dsp.clk_to_q + t.dsp.select + t.dsp.multiplier + t.dsp.past_m + t.dsp.alu;
      EXPECT_LT(inside, 1e6 / clock_limits(family, {grade}).no_m) << grade;
      EXPECT_GT(inside, 1e6 / clock_limits(family, {grade}).dsp) << grade;
    }
}

// What the open timing database has of a slow Artix-7: CLK to P and to PCOUT, and the setup of
// PCIN.
TEST(DspTiming, OfADsp48e1) {
  const auto series7 = ir::Family::series7;
  const DspTiming t = dsp_timing({.kind = ir::Kind::dsp48e1}, delays(series7, {1}));
  EXPECT_EQ(t.clk_to[output(&Out::p)], 434);
  EXPECT_EQ(t.clk_to[output(&Out::pcout)], 478);
  EXPECT_EQ(t.setup[input(&In::pcin)], 1400);
}

// Between registers the stages give the clocks of DS181, speed grade -1, within 3 %.
TEST(DspTiming, StagesOfADsp48e1KeepTheClocksOfTheDataSheet) {
  const ClockLimits& sheet = clock_limits(ir::Family::series7, {1});
  const ir::timing::DspDelays d = delays(ir::Family::series7, {1}).dsp;
  const Picoseconds product = d.select + d.multiplier, sum = d.alu + d.inner_setup;
  const auto expect = [](Picoseconds period, std::uint32_t mhz) {
    EXPECT_NEAR(1e6 / period, mhz, 0.03 * mhz);
  };
  expect(d.clk_to_q + sum, sheet.dsp);
  expect(d.clk_to_q + sum + d.pattern, sheet.dsp_pattern);
  expect(d.clk_to_q + product + d.past_m + sum, sheet.no_m);
  expect(d.clk_to_q + d.pre_adder + product + d.inner_setup, sheet.no_ad);
  expect(d.clk_to_q + d.pre_adder + product + d.past_m + sum, sheet.no_m_no_ad);
}

}  // namespace dsp_test
}  // namespace kumiki::backends::timing
