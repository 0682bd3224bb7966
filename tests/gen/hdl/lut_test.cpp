// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/circuit.h"

namespace kumiki::gen {
namespace dsl_lut_test {

using tests::Circuit;
using Words = Circuit::Words;

TEST(Table, OfLambdasOfEveryArity) {
  EXPECT_EQ(table([](bool a) { return !a; }).bits, 0b01u);
  EXPECT_EQ(table([](bool a, bool b) { return a && b; }).bits, 0x8u);
  EXPECT_EQ(table([](bool a, bool b, bool c) { return (a + b + c) >= 2; }).bits, 0xe8u);
  EXPECT_EQ(table([](bool a, bool b, bool c, bool d) { return a ^ b ^ c ^ d; }).bits, 0x6996u);
  EXPECT_EQ(table([](bool a, bool, bool, bool, bool) { return a; }).bits, 0xaaaaaaaau);
  EXPECT_EQ(table([](bool a, bool b, bool c, bool d, bool e, bool f) {
              return a && b && c && d && e && f;
            }).bits,
            std::uint64_t{1} << 63);
}

// The full adder in one LUT6_2: values of the notes on compressors.
TEST(Table, OfPairsFillsBothHalves) {
  auto t = table([](bool a, bool b, bool c) { return pair((a + b + c) >= 2, a ^ b ^ c); });
  EXPECT_TRUE(t.both);
  EXPECT_EQ(t.bits, 0x000000e800000096u);
}

TEST(Lut, WordsOfEveryWidthAndNumberOfInputs) {
  for (std::uint32_t w = 1; w <= 5; ++w) {
    Circuit one({w}, [](Scope& s, const Words& in) -> Words { return {s.word(~in[0])}; });
    one.for_all([&](auto& in, auto& out) { ASSERT_EQ(out[0], ~in[0] & ((1u << w) - 1)); });
    Circuit three({w, w, 1}, [](Scope& s, const Words& in) -> Words {
      return {lut(
          s, [](bool a, bool b, bool c) { return c ? a && !b : b; }, in[0], in[1], in[2][0])};
    });
    three.for_all([&](auto& in, auto& out) { ASSERT_EQ(out[0], in[2] ? in[0] & ~in[1] : in[1]); });
    Circuit four({w, w, w, 1, 1}, [](Scope& s, const Words& in) -> Words {
      return {lut(
          s, [](bool a, bool b, bool c, bool p, bool q) { return p   ? a
                                                                 : q ? b
                                                                     : c; }, in[0], in[1],
          in[2], in[3][0], in[4][0])};
    });
    four.for_all([&](auto& in, auto& out) {
      ASSERT_EQ(out[0], in[3] ? in[0] : in[4] ? in[1] : in[2]);
    });
  }
}

TEST(Lut, TwoBitsShareALutWhereFiveInputsServeBoth) {
  auto luts = [](std::uint32_t w, auto build) { return Circuit({w, w, w, 1}, build).cost().luts; };
  EXPECT_EQ(luts(8, [](Scope& s, const Words& in) -> Words { return {s.word(~in[0])}; }), 4u);
  EXPECT_EQ(luts(8,
                 [](Scope& s, const Words& in) -> Words {
                   return {lut(
                       s, [](bool a, bool b) { return a && b; }, in[0], in[1])};
                 }),
            4u);
  EXPECT_EQ(
      luts(9, [](Scope& s, const Words& in) -> Words { return {mux(s, in[3][0], in[0], in[1])}; }),
      5u);
  EXPECT_EQ(luts(8,
                 [](Scope& s, const Words& in) -> Words {
                   return {lut(
                       s, [](bool a, bool b, bool c) { return a ^ b ^ c; }, in[0], in[1], in[2])};
                 }),
            8u);
}

TEST(Lut, ConstantsAndRepeatsFoldAway) {
  Circuit c({2}, [](Scope& s, const Words& in) -> Words {
    Net a = in[0][0], b = in[0][1];
    auto and3 = [](bool x, bool y, bool z) { return x && y && z; };
    Net zero = lut(s, and3, a, ir::net_zero, b), wire = lut(s, and3, a, ir::net_one, a);
    EXPECT_EQ(zero, ir::net_zero);
    EXPECT_EQ(wire, a);
    EXPECT_EQ(lut(
                  s, [](bool x, bool y) { return x != y; }, b, b),
              ir::net_zero);
    Net two = lut(s, and3, a, ir::net_one, b);
    return {bits(s, {two}), lut(
                                s, [](bool x, bool y) { return x && y; }, in[0], s.constant(2, 2))};
  });
  EXPECT_EQ(c.cost().luts, 1u);
  c.for_all([](auto& in, auto& out) {
    ASSERT_EQ(out[0], in[0] == 3);
    ASSERT_EQ(out[1], in[0] & 2);
  });
}

TEST(Lut, TreesOverWideWords) {
  for (std::uint32_t w : {1u, 5u, 6u, 7u, 12u}) {
    Circuit c({w}, [](Scope& s, const Words& in) -> Words {
      return {bits(s, {all_of(s, in[0]), any_of(s, in[0])})};
    });
    c.for_all([&](auto& in, auto& out) {
      ASSERT_EQ(out[0] & 1, in[0] == (1u << w) - 1);
      ASSERT_EQ(out[0] >> 1, in[0] != 0);
    });
  }
  // Two levels of LUT6 hold 36 bits.
  EXPECT_EQ(
      Circuit({36},
              [](Scope& s, const Words& in) -> Words { return {bits(s, {all_of(s, in[0])})}; })
          .cost()
          .luts,
      7u);
}

TEST(Lut, CellsByNameTakeWhatTheTableSays) {
  Circuit c({5}, [](Scope& s, const Words& in) -> Words {
    auto both =
        Lut6_2{.init = table([](bool p, bool q, bool r, bool t) { return pair(p ^ q ^ r ^ t, t); }),
               .in = {in[0][0], in[0][1], in[0][2], in[0][3]}}
            .add_to(s);
    return {bits(s, {both.o6, both.o5})};
  });
  c.for_all([](auto& in, auto& out) {
    ASSERT_EQ(out[0] & 1, unsigned(__builtin_popcountll(in[0] & 15) & 1));
    ASSERT_EQ(out[0] >> 1, in[0] >> 3 & 1);
  });
}

TEST(Lut, AWrongNumberOfNetsIsRefused) {
  Builder b;
  Scope s(b, b.design().add_module("m"));
  EXPECT_THROW(
      (Lut{.init = table([](bool x, bool y) { return x && y; }), .in = {ir::net_one}}.add_to(s)),
      DesignError);
  EXPECT_THROW((Lut6_2{.init = table([](bool x) { return x; }), .in = {ir::net_one}}.add_to(s)),
               DesignError);
}

}  // namespace dsl_lut_test
}  // namespace kumiki::gen
