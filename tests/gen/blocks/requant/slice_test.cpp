// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/requant/slice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ir/error.h"
#include "tests/gen/blocks/requant/evaluate.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::requant {
namespace requant_slice_test {

using namespace arith;

// Written once more, from the words: nearest integer of a fraction, ties as named.
std::int64_t expected(const RequantRequest& r, const RequantValues& v) {
  const std::int64_t unit = std::int64_t{1} << r.shift;
  const std::int64_t x = (v.accumulator + v.bias) * v.scale;
  std::int64_t down = x / unit;
  if (down * unit > x) --down;
  const std::int64_t to_down = x - down * unit;
  const std::int64_t to_up = unit - to_down;
  std::int64_t nearest = to_down < to_up ? down : down + 1;
  if (to_down == to_up) {
    if (r.rounding == Rounding::half_even) nearest = down % 2 == 0 ? down : down + 1;
    if (r.rounding == Rounding::half_away) nearest = x < 0 ? down : down + 1;
    if (r.rounding == Rounding::half_up) nearest = down + 1;
  }
  if (r.rounding == Rounding::to_zero) nearest = x / unit;
  if (r.rounding == Rounding::up) nearest = -(-x / unit) + (x > 0 && x % unit != 0 ? 1 : 0);
  const std::int64_t q = nearest + v.zero_point;
  return q < static_cast<std::int64_t>(r.clamp.lo)   ? static_cast<std::int64_t>(r.clamp.lo)
         : q > static_cast<std::int64_t>(r.clamp.hi) ? static_cast<std::int64_t>(r.clamp.hi)
                                                     : q;
}

constexpr Rounding kAll[] = {Rounding::half_up, Rounding::half_away, Rounding::half_even,
                             Rounding::to_zero, Rounding::up};

TEST(Requant, EveryAccumulatorOfSmallOnes) {
  std::int64_t checked = 0;
  for (const Rounding rounding : kAll)
    for (int shift = 0; shift <= 5; ++shift)
      for (const Interval clamp :
           {Interval{-8, 7}, Interval{0, 15}, Interval{0, 6}, Interval{-7, 7}, Interval{-3, 9},
            Interval{2, 11}, Interval{-5, -1}, Interval{-4096, 4095}, Interval{-1, 0},
            Interval{0, 1}})
        for (int zero_point = -3; zero_point <= 3; ++zero_point)
          for (int scale = 1; scale <= 9; ++scale) {
            const RequantRequest request{.accumulator = {-64, 63},
                                         .scale = {1, 9},
                                         .shift = shift,
                                         .zero_point = Interval::point(zero_point),
                                         .rounding = rounding,
                                         .clamp = clamp};
            const RequantPlan plan = plan_requant(request);
            for (int acc = -64; acc <= 63; ++acc, ++checked) {
              const RequantValues values{acc, scale, 0, zero_point};
              ASSERT_EQ(requantise(request, values), expected(request, values));
              ASSERT_EQ(evaluate(plan, values), expected(request, values))
                  << to_text(plan) << acc << " * " << scale << " + " << zero_point;
            }
          }
  EXPECT_GT(checked, 1000000);
}

TEST(Requant, BiasAndZeroPointByChannel) {
  for (const Rounding rounding : {Rounding::half_up, Rounding::half_even})
    for (int shift = 0; shift <= 4; ++shift)
      for (int bias = -20; bias <= 20; bias += 4) {
        RequantRequest request{.accumulator = {-32, 31},
                               .bias = {-20, 20},
                               .scale = {1, 7},
                               .shift = shift,
                               .rounding = rounding,
                               .clamp = {-16, 15}};
        if (rounding == Rounding::half_up) request.zero_point = {-4, 4};
        const RequantPlan plan = plan_requant(request);
        EXPECT_EQ(plan.uses_c, rounding == Rounding::half_up);
        for (int acc = -32; acc <= 31; ++acc)
          for (int scale = 1; scale <= 7; ++scale)
            for (int zp = static_cast<int>(request.zero_point.lo); zp <= request.zero_point.hi;
                 ++zp) {
              const RequantValues values{acc, scale, bias, zp};
              ASSERT_EQ(evaluate(plan, values), expected(request, values)) << to_text(plan);
            }
      }
}

// Hardly below 0: the values are narrower than the unsigned field in front of which they end.
TEST(Requant, SmallNegativesBeforeAWideUnsignedField) {
  for (const Rounding rounding : kAll)
    for (const int scale : {2, 3}) {
      const RequantRequest request{.accumulator = {-40, 50},
                                   .scale = {1, scale},
                                   .shift = 3,
                                   .rounding = rounding,
                                   .clamp = {0, 255}};
      const RequantPlan plan = plan_requant(request);
      for (int acc = -40; acc <= 50; ++acc)
        for (int s = 1; s <= scale; ++s)
          ASSERT_EQ(evaluate(plan, {acc, s, 0, 0}), expected(request, {acc, s, 0, 0}))
              << to_text(plan) << acc;
    }
}

// The bias in the pre-adder: the sign of the sum decides where ties go, whatever the scale's.
TEST(Requant, BiasOnDAndScalesOfBothSigns) {
  std::int64_t ties = 0;
  for (const Rounding rounding : kAll)
    for (int shift = 0; shift <= 4; ++shift)
      for (const Interval clamp : {Interval{-16, 15}, Interval{0, 31}, Interval{3, 9}})
        for (const int zero_point : {-2, 0, 3}) {
          const RequantRequest request{.accumulator = {-32, 31},
                                       .bias = {-20, 20},
                                       .scale = {-7, 7},
                                       .shift = shift,
                                       .zero_point = Interval::point(zero_point),
                                       .rounding = rounding,
                                       .clamp = clamp};
          const RequantPlan plan = plan_requant(request);
          EXPECT_EQ(plan.uses_c, rounding == Rounding::to_zero && shift > 0);
          EXPECT_TRUE(plan.bias_on_d);
          for (int acc = -32; acc <= 31; ++acc)
            for (int bias = -20; bias <= 20; bias += 5)
              for (int scale = -7; scale <= 7; ++scale) {
                const RequantValues v{acc, scale, bias, zero_point};
                ASSERT_EQ(requantise(request, v), expected(request, v));
                ASSERT_EQ(evaluate(plan, v), expected(request, v)) << to_text(plan);
                const int below = ((acc + bias) * scale) & ((1 << shift) - 1);
                ties += shift > 0 && below == 1 << (shift - 1) ? 1 : 0;
              }
        }
  EXPECT_GT(ties, 50000);
}

TEST(Requant, WideAccumulatorsAndTheirCorners) {
  std::mt19937_64 rng(9);
  for (const Rounding rounding : kAll)
    for (const Interval clamp : {Interval{-128, 127}, Interval{0, 255}, Interval{0, 96}})
      for (const int shift : {17, 24, 30, 35}) {
        const RequantRequest request{.accumulator = signed_range(26),
                                     .shift = shift,
                                     .zero_point = Interval::point(clamp.lo < 0 ? -5 : 3),
                                     .rounding = rounding,
                                     .clamp = clamp};
        const RequantPlan plan = plan_requant(request);
        for (int k = 0; k < 4000; ++k) {
          RequantValues v{static_cast<std::int64_t>(rng() % (1u << 26)) - (1 << 25),
                          1 + static_cast<std::int64_t>(rng() % 131071), 0,
                          static_cast<std::int64_t>(request.zero_point.lo)};
          if (k % 4 == 0) v.accumulator = k % 8 == 0 ? -(1 << 25) : (1 << 25) - 1;
          if (k % 5 == 0) v.scale = k % 10 == 0 ? 131071 : 65536;  // 65536: ties are frequent
          if (k % 3 == 0) v.accumulator >>= 12;
          ASSERT_EQ(evaluate(plan, v), expected(request, v))
              << to_text(plan) << v.accumulator << " " << v.scale;
        }
      }
}

TEST(Requant, OneSliceDoesItAll) {
  const RequantPlan away =
      plan_requant({.accumulator = signed_range(24), .shift = 20, .rounding = Rounding::half_away});
  EXPECT_EQ(to_text(away),
            "requantise [-8388608, 8388607], shift 20, half away from zero, clamp [-128, 127]\n"
            "  OPMODE 10_000_01_01, INMODE 00000, CARRYINSEL 110, RND 48'h00000007FFFF, "
            "USE_PATTERN_DETECT PATDET, "
            "PATTERN 48'h000000000000, MASK 48'h000007FFFFFF\n"
            "  q = P[27:20] signed, saturated by the pattern detector, latency 4\n"
            "certificate\n"
            "  accumulator on the 27-bit side: [-8388608, 8388607] within [-67108864, 67108863]\n"
            "  scale on the 18-bit side: [1, 131071] within [-131072, 131071]\n"
            "  P: product, bias, zero point and rounding: [-1099502714881, 1099503632385] within "
            "[-140737488355328, 140737488355327]\n"
            "  top bit of the result's field: 27 at most 47\n");
  const RequantPlan even = plan_requant({.accumulator = signed_range(20),
                                         .shift = 20,
                                         .zero_point = Interval::point(3),
                                         .clamp = {0, 255}});
  EXPECT_EQ(even.tie_fix, TieFix::SetLsb);
  EXPECT_EQ(even.saturation, Saturation::Lut);
  // A zero point for all channels is part of RND.
  EXPECT_EQ(to_string(even.opmode), "10_000_01_01");
  EXPECT_EQ(even.rnd, 3 * power_of_two(20) + power_of_two(19) - 1);
}

// With a fixed scale that leaves no factor halfway, half to even costs nothing, and the detector
// saturates; wherever a tie can be, it is found.
TEST(Requant, TiesThatCannotBeCostNothing) {
  int without = 0, with = 0;
  for (int shift = 0; shift <= 9; ++shift)
    for (int scale = -40; scale <= 40; ++scale)
      for (const Interval range : {Interval{-64, 63}, Interval{1, 7}, Interval{24, 24}}) {
        const RequantRequest request{.accumulator = range,
                                     .scale = Interval::point(scale),
                                     .shift = shift,
                                     .zero_point = Interval::point(1),
                                     .clamp = {-8, 7}};
        const RequantPlan plan = plan_requant(request);
        bool tie = false;
        for (int acc = static_cast<int>(range.lo); acc <= range.hi; ++acc) {
          const RequantValues v{acc, scale, 0, 1};
          ASSERT_EQ(evaluate(plan, v), expected(request, v))
              << to_text(plan) << acc << "*" << scale;
          tie = tie || (shift > 0 && ((acc * scale) & ((1 << shift) - 1)) == 1 << (shift - 1));
        }
        ASSERT_EQ(plan.tie_fix != TieFix::None, tie) << to_text(plan);
        ++(tie ? with : without);
      }
  EXPECT_GT(with, 300);
  EXPECT_GT(without, 300);
}

std::string refusal(const RequantRequest& request) {
  return test::refusal<DesignError>([&] { (void)plan_requant(request); });
}

TEST(Requant, Refusals) {
  EXPECT_EQ(refusal({.accumulator = signed_range(28)}),
            "accumulator on the 27-bit side: [-134217728, 134217727] not within [-67108864, "
            "67108863]; use an accumulator of fewer terms, or split it in two");
  EXPECT_EQ(refusal({.accumulator = signed_range(20), .scale = {1, 131072}}),
            "scale on the 18-bit side: [1, 131072] not within [-131072, 131071]; the scale must "
            "fit 17 bits");
  EXPECT_EQ(refusal({.accumulator = signed_range(27), .bias = {0, 1}}),
            "accumulator and bias on the 27-bit side: [-67108864, 67108864] not within [-67108864, "
            "67108863]; use a smaller bias");
  EXPECT_EQ(
      refusal({.accumulator = signed_range(20), .zero_point = {0, 1}}),
      "half to even with zero points [0, 1]; half to even needs one zero point for all channels");
  EXPECT_EQ(refusal({.accumulator = signed_range(20), .shift = 47}),
            "shift 47; the shift must be from 0 to 46");
  EXPECT_EQ(refusal({.accumulator = signed_range(20), .clamp = {7, 7}}),
            "clamp 7; the clamp must leave at least two values");
  EXPECT_EQ(refusal({.accumulator = signed_range(20), .shift = 44}),
            "top bit of the result's field: 51 not at most 47; use a smaller shift");
  EXPECT_EQ(refusal({.accumulator = signed_range(25), .shift = 40, .clamp = {0, 255}}),
            "top bit of the result's field: 47 not at most 46; use a smaller shift");
  EXPECT_EQ(refusal({.accumulator = {0, 100}, .scale = {0, 9}, .shift = 40, .clamp = {0, 255}}),
            "not refused");
}

TEST(Requant, NearestScale) {
  for (const double ratio : {0.5, 1.0, 0.0123, 3.75e-5, 0.99999999, 1e-7, 117.3, 1.5e-9}) {
    const Scale s = nearest_scale(ratio);
    EXPECT_GE(s.scale, 1 << 16);
    EXPECT_LT(s.scale, 1 << 17);
    EXPECT_LE(std::abs(std::ldexp(static_cast<double>(s.scale), -s.shift) - ratio),
              ratio / (1 << 17))
        << ratio;
  }
  // Where the shift ends the scale loses bits, rounded once: 12345.497 / 2^46 and 5.5 / 2^40.
  const Scale small = nearest_scale(std::ldexp(12345.497, -46));
  EXPECT_EQ(std::pair(small.scale, small.shift), std::pair(std::int64_t{12345}, 46));
  const Scale smaller = nearest_scale(std::ldexp(5.497, -40), 40);
  EXPECT_EQ(std::pair(smaller.scale, smaller.shift), std::pair(std::int64_t{5}, 40));
  EXPECT_THROW(nearest_scale(std::ldexp(0.4, -40), 40), DesignError);
  EXPECT_EQ(nearest_scale(0.5).scale, 65536);
  EXPECT_EQ(nearest_scale(0.5).shift, 17);
  EXPECT_THROW(nearest_scale(0), DesignError);
  EXPECT_EQ(nearest_scale(-0.5).scale, -65536);
  EXPECT_EQ(nearest_scale(-0.999999999).scale, -65536);
  EXPECT_EQ(nearest_scale(-0.999999999).shift, 16);
  EXPECT_THROW(nearest_scale(1e9), DesignError);
}

}  // namespace requant_slice_test
}  // namespace kumiki::gen::requant
