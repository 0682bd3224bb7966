// SPDX-License-Identifier: Apache-2.0
// Every function against integers: all values of small widths, corners and random ones of large, on
// the carry primitive of each family.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/circuit.h"

namespace kumiki::gen {
namespace dsl_arithmetic_test {

using tests::Circuit;
using tests::to_signed;
using Words = Circuit::Words;

std::uint64_t mask(std::uint32_t w) {
  return w >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << w) - 1;
}

struct Arithmetic : ::testing::TestWithParam<std::tuple<ir::Family, std::uint32_t>> {
  ir::Family family = std::get<0>(GetParam());
  std::uint32_t w = std::get<1>(GetParam());
};

TEST_P(Arithmetic, AddAndSubtract) {
  Circuit c(
      {w, w, 1},
      [](Scope& s, const Words& in) -> Words {
        SInt a = as_signed(in[0]), b = as_signed(in[1]);
        return {add(s, in[0], in[1], in[2][0]),
                sub(s, in[0], in[1]),
                add_wide(s, in[0], in[1], in[2][0]),
                UInt(Word(add_wide(s, a, b))),
                UInt(Word(sub_wide(s, in[0], in[1]))),
                UInt(Word(sub_wide(s, a, b))),
                UInt(Word(negate(s, a))),
                UInt(Word(negate_wide(s, a))),
                increment(s, in[0], in[2][0])};
      },
      family);
  c.for_all([&](auto& in, auto& out) {
    auto a = in[0], b = in[1], cin = in[2];
    auto sa = to_signed(a, w), sb = to_signed(b, w);
    ASSERT_EQ(out[0], (a + b + cin) & mask(w));
    ASSERT_EQ(out[1], (a - b) & mask(w));
    ASSERT_EQ(out[2], a + b + cin);
    ASSERT_EQ(to_signed(out[3], w + 1), sa + sb);
    ASSERT_EQ(to_signed(out[4], w + 1), static_cast<std::int64_t>(a - b));
    ASSERT_EQ(to_signed(out[5], w + 1), sa - sb);
    ASSERT_EQ(out[6], -a & mask(w));
    ASSERT_EQ(to_signed(out[7], w + 1), -sa);
    ASSERT_EQ(out[8], (a + cin) & mask(w));
  });
}

TEST_P(Arithmetic, Compare) {
  Circuit c(
      {w, w},
      [](Scope& s, const Words& in) -> Words {
        SInt a = as_signed(in[0]), b = as_signed(in[1]);
        return {bits(s, {less(s, in[0], in[1]), at_least(s, in[0], in[1]), less(s, a, b),
                         at_least(s, a, b), compare(s, in[0], in[1]).equal})};
      },
      family);
  c.for_all([&](auto& in, auto& out) {
    auto sa = to_signed(in[0], w), sb = to_signed(in[1], w);
    std::uint64_t want = (in[0] < in[1]) | (in[0] >= in[1]) << 1 | (sa < sb) << 2 |
                         (sa >= sb) << 3 | (in[0] == in[1]) << 4;
    ASSERT_EQ(out[0], want) << in[0] << " " << in[1];
  });
}

INSTANTIATE_TEST_SUITE_P(Widths, Arithmetic,
                         ::testing::Combine(::testing::Values(ir::Family::series7,
                                                              ir::Family::ultrascale_plus),
                                            ::testing::Values(1, 2, 3, 4, 5, 8, 9, 16, 33, 61)));

TEST(Arithmetic, WithConstantsStillGoesThroughLuts) {
  for (std::uint64_t k : {0, 1, 5, 12, 15}) {
    Circuit c({4}, [&](Scope& s, const Words& in) -> Words {
      UInt b = s.constant(k, 4);
      return {add(s, in[0], b), sub(s, in[0], b), sub(s, b, in[0]),
              bits(s, {less(s, in[0], b), at_least(s, in[0], b),
                       less(s, as_signed(in[0]), as_signed(b)), equals(s, in[0], k)})};
    });
    c.for_all([&](auto& in, auto& out) {
      ASSERT_EQ(out[0], (in[0] + k) & 15);
      ASSERT_EQ(out[1], (in[0] - k) & 15);
      ASSERT_EQ(out[2], (k - in[0]) & 15);
      ASSERT_EQ(out[3],
                std::uint64_t((in[0] < k) | (in[0] >= k) << 1 |
                              (to_signed(in[0], 4) < to_signed(k, 4)) << 2 | (in[0] == k) << 3));
    });
  }
}

// Every bit of a sum of up to six nets is a LUT, and two of them that see five nets share one: of a
// counter the two lowest, the next two, the fifth and the sixth.
TEST(Arithmetic, ASumOfFewNetsIsOneLevelOfLuts) {
  const auto cost = [](std::vector<std::uint32_t> widths, const auto& build) {
    const auto c = Circuit(std::move(widths), build).cost();
    return std::pair(c.luts, c.carry_bits);
  };
  const auto counter = [&](std::uint32_t width) {
    return cost({width}, [](Scope& s, const Words& in) -> Words { return {increment(s, in[0])}; });
  };
  const unsigned luts[] = {1, 1, 2, 2, 3, 4};
  for (unsigned w = 1; w <= 6; ++w) EXPECT_EQ(counter(w), std::pair(luts[w - 1], 0u)) << w;
  EXPECT_EQ(counter(7), std::pair(7u, 8u));
  // A sign is extended for nothing.
  EXPECT_EQ(cost({2, 2},
                 [](Scope& s, const Words& in) -> Words {
                   return {UInt(
                       Word(add(s, sext(s, as_signed(in[0]), 9), sext(s, as_signed(in[1]), 9))))};
                 }),
            std::pair(2u, 0u));
  EXPECT_EQ(cost({3, 3}, [](Scope& s, const Words& in) -> Words { return {add(s, in[0], in[1])}; }),
            std::pair(2u, 0u));
}

// (n - 1) / 5 LUTs, rounded up, join n nets; a comparison's last LUT takes digits that are left.
TEST(Arithmetic, GatesOfManyNetsTakeTheFewestLutsAndLevels) {
  for (const std::uint32_t n : {2, 6, 7, 8, 9, 11, 12, 16, 31, 36, 37, 41, 60}) {
    SCOPED_TRACE(n);
    Circuit c({n}, [&](Scope& s, const Words& in) -> Words {
      return {bits(s, {all_of(s, in[0]), any_of(s, in[0]), equals(s, in[0], mask(n) / 3)})};
    });
    EXPECT_LE(c.cost().luts, 3 * ((n + 3) / 5) + (n > 36 ? 1 : 0));
    c.for_all([&](auto& in, auto& out) {
      ASSERT_EQ(out[0], std::uint64_t{in[0] == mask(n)} | std::uint64_t{in[0] != 0} << 1 |
                            std::uint64_t{in[0] == mask(n) / 3} << 2);
    });
  }
  const unsigned luts[] = {1, 1, 1, 2, 2, 3, 3, 3, 4, 4};
  for (std::uint32_t n = 1; n <= 10; ++n) {
    Circuit c({n, n}, [](Scope& s, const Words& in) -> Words {
      return {bits(s, {equals(s, in[0], in[1])})};
    });
    EXPECT_EQ(c.cost().luts, luts[n - 1]) << n;
    c.for_all([](auto& in, auto& out) { ASSERT_EQ(out[0], in[0] == in[1]); });
  }
}

// Bits that see the same nets share LUTs where some of them are constant.
TEST(Arithmetic, BitsOfAWordShareLuts) {
  Circuit c({3, 1}, [](Scope& s, const Words& in) -> Words {
    const UInt word = cat(s, {s.constant(2, 2), in[0]});
    return {s.word(word & in[1][0])};
  });
  EXPECT_EQ(c.cost().luts, 2u);
  c.for_all([](auto& in, auto& out) { ASSERT_EQ(out[0], in[1] ? in[0] | 16 : 0); });
}

TEST(Arithmetic, AnAdderIsALutABitAndACarryBlockAFamily) {
  auto build = [](Scope& s, const Words& in) -> Words { return {add(s, in[0], in[1])}; };
  Circuit seven({16, 16}, build, ir::Family::series7), plus({16, 16}, build);
  EXPECT_EQ(seven.cost().luts, 16u);  // S comes from O6: no two of them share a LUT
  EXPECT_EQ(seven.cost().carry_bits, 16u);
  EXPECT_EQ(plus.cost().carry_bits, 16u);
  EXPECT_EQ(std::count_if(seven.module().cells().begin(), seven.module().cells().end(),
                          [](auto& c) { return c.kind == ir::Kind::carry4; }),
            4);
  EXPECT_EQ(std::count_if(plus.module().cells().begin(), plus.module().cells().end(),
                          [](auto& c) { return c.kind == ir::Kind::carry8; }),
            2);
}

TEST(Arithmetic, Shifts) {
  for (std::uint32_t w : {1u, 5u, 8u})
    for (std::uint32_t b : {1u, 2u, 3u, 4u}) {
      Circuit c({w, b}, [](Scope& s, const Words& in) -> Words {
        return {shift_left(s, in[0], in[1]), shift_right(s, in[0], in[1]),
                UInt(Word(shift_right(s, as_signed(in[0]), in[1])))};
      });
      c.for_all([&](auto& in, auto& out) {
        ASSERT_EQ(out[0], (in[0] << in[1]) & mask(w));
        ASSERT_EQ(out[1], in[0] >> in[1]);
        ASSERT_EQ(out[2], static_cast<std::uint64_t>(to_signed(in[0], w) >> in[1]) & mask(w));
      });
    }
}

TEST(Arithmetic, Saturate) {
  for (std::uint32_t from : {1u, 4u, 7u, 10u})
    for (std::uint32_t to : {1u, 2u, 4u, 7u, 11u}) {
      Circuit c({from}, [&](Scope& s, const Words& in) -> Words {
        return {UInt(Word(saturate(s, as_signed(in[0]), to))), saturate(s, in[0], to),
                saturate_unsigned(s, as_signed(in[0]), to)};
      });
      c.for_all([&](auto& in, auto& out) {
        std::int64_t a = to_signed(in[0], from), top = static_cast<std::int64_t>(mask(to));
        ASSERT_EQ(to_signed(out[0], to), std::clamp<std::int64_t>(a, -(top + 1) / 2, top / 2));
        ASSERT_EQ(out[1], std::min(in[0], mask(to)));
        ASSERT_EQ(static_cast<std::int64_t>(out[2]), std::clamp<std::int64_t>(a, 0, top));
      });
    }
}

TEST(Arithmetic, Round) {
  for (std::uint32_t w : {2u, 5u, 8u})
    for (std::uint32_t drop = 0; drop < w; ++drop)
      for (Rounding mode : {Rounding::down, Rounding::half_up, Rounding::half_even,
                            Rounding::half_away, Rounding::to_zero, Rounding::up}) {
        Circuit c({w}, [&](Scope& s, const Words& in) -> Words {
          return {UInt(Word(round(s, as_signed(in[0]), drop, mode)))};
        });
        c.for_all([&](auto& in, auto& out) {
          double x = std::ldexp(static_cast<double>(to_signed(in[0], w)), -static_cast<int>(drop)),
                 want = 0;
          switch (mode) {
            case Rounding::down:
              want = std::floor(x);
              break;
            case Rounding::half_up:
              want = std::floor(x + 0.5);
              break;
            case Rounding::half_even:
              want = std::nearbyint(x);
              break;
            case Rounding::half_away:
              want = std::round(x);
              break;
            case Rounding::to_zero:
              want = std::trunc(x);
              break;
            case Rounding::up:
              want = std::ceil(x);
              break;
          }
          ASSERT_EQ(static_cast<double>(to_signed(out[0], w - drop + 1)), want) << x;
        });
      }
}

TEST(Arithmetic, Popcount) {
  for (std::uint32_t w : {1u, 3u, 6u, 7u, 12u, 13u, 37u, 64u}) {
    Circuit c({w}, [](Scope& s, const Words& in) -> Words { return {popcount(s, in[0])}; });
    c.for_all(
        [](auto& in, auto& out) { ASSERT_EQ(out[0], unsigned(__builtin_popcountll(in[0]))); });
  }
}

TEST(Select, EveryNumberOfItemsAndIndexPastTheEnd) {
  for (std::uint32_t n : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 9u, 13u, 16u, 17u, 33u, 50u}) {
    Circuit c({6, 3}, [&](Scope& s, const Words& in) -> Words {
      std::vector<UInt> items;
      for (std::uint32_t i = 0; i < n; ++i) items.push_back(add(s, in[1], s.constant(i % 8, 3)));
      return {select(s, in[0], std::span<const UInt>(items))};
    });
    c.for_all([&](auto& in, auto& out) {
      ASSERT_EQ(out[0], (in[1] + std::min<std::uint64_t>(in[0], n - 1)) % 8);
    });
  }
}

TEST(Select, SixteenWaysAreFourLutsABit) {
  Circuit c({4, 16}, [](Scope& s, const Words& in) -> Words {
    std::vector<UInt> items;
    for (std::uint32_t i = 0; i < 16; ++i) items.push_back(in[1].slice(i, 1));
    return {select(s, in[0], std::span<const UInt>(items))};
  });
  EXPECT_EQ(c.cost().luts, 4u);
  EXPECT_EQ(c.cost().muxes, 3u);
  c.for_all([](auto& in, auto& out) { ASSERT_EQ(out[0], in[1] >> in[0] & 1); });
}

}  // namespace dsl_arithmetic_test
}  // namespace kumiki::gen
