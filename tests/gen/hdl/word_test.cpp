// SPDX-License-Identifier: Apache-2.0
// Mistakes of the library's user: the messages name both widths and both source locations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/hdl/hdl.h"
#include "tests/support/refusal.h"

namespace kumiki::gen {
namespace dsl_word_test {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

struct Fixture : ::testing::Test {
  Builder b;
  ir::Module& m = b.design().add_module("m");
  Scope s{b, m};

  template <class F>
  std::string message(F f) {
    return test::refusal<DesignError>([&] { f(); });
  }
};
using WordMistakes = Fixture;
using WordWires = Fixture;

TEST_F(WordMistakes, UnequalWidthsNameBothPlacesAndTheCall) {
  auto a = s.input<UInt>("a", 8);
  auto c = s.input<UInt>("c", 9);
  EXPECT_THAT(
      message([&] { add(s, a, c); }),
      MatchesRegex(
          "tests/gen/hdl/word_test.cpp:[0-9]+: add needs equal widths; it has 8 bits \\(made at "
          "tests/gen/hdl/word_test.cpp:[0-9]+\\) and 9 bits \\(made at "
          "tests/gen/hdl/word_test.cpp:[0-9]+\\)"));
  EXPECT_THAT(message([&] { mux(s, a[0], a, c); }),
              HasSubstr("mux needs equal widths; it has 8 bits"));
  EXPECT_THAT(message([&] { less(s, a, c); }), HasSubstr("comparison needs equal widths"));
  EXPECT_THAT(message([&] { equals(s, a, c); }), HasSubstr("equals needs equal widths"));
  EXPECT_THAT(message([&] {
                lut(
                    s, [](bool x, bool y) { return x && y; }, a, c);
              }),
              HasSubstr("lut needs equal widths"));
  Reg<UInt> r(s, 8);
  EXPECT_THAT(message([&] { r.next(c); }),
              HasSubstr("Reg::next needs equal widths; it has 8 bits"));
}

TEST_F(WordMistakes, SlicesAndBitsPastTheEnd) {
  auto a = s.input<UInt>("a", 8);
  EXPECT_THAT(message([&] { a.slice(4, 5); }),
              HasSubstr("bits 4 to 8 are beyond a word of 8 bits"));
  EXPECT_THAT(message([&] { a.slice(9, 0); }), HasSubstr("a word of 8 bits"));
  EXPECT_THAT(message([&] { (void)a[8]; }), HasSubstr("bit 8 of a word of 8 bits"));
  EXPECT_THAT(message([&] { (void)UInt::shape(4)[0]; }), HasSubstr("a shape without nets"));
}

TEST_F(WordMistakes, ConstantsMustFit) {
  EXPECT_THAT(message([&] { s.constant(256, 8); }), HasSubstr("256 does not fit 8 bits"));
  EXPECT_THAT(message([&] { s.signed_constant(128, 8); }),
              HasSubstr("128 does not fit 8 signed bits"));
  EXPECT_THAT(message([&] { s.signed_constant(-129, 8); }),
              HasSubstr("-129 does not fit 8 signed bits"));
  EXPECT_EQ(message([&] {
              s.signed_constant(-128, 8);
              s.constant(255, 8);
              s.constant(~0ull, 64);
            }),
            "not refused");
}

TEST_F(WordMistakes, NothingIsCutSilently) {
  auto a = s.input<UInt>("a", 8);
  EXPECT_THAT(message([&] { zext(s, a, 7); }),
              HasSubstr("would cut the word; use slice to cut it"));
  EXPECT_THAT(message([&] { sext(s, as_signed(a), 7); }), HasSubstr("sext of 8 bits to 7"));
  EXPECT_THAT(message([&] {
                select(s, a.slice(0, 1), std::span<const UInt>(std::array{a, a, a}));
              }),
              HasSubstr("select of 3 items needs an index of 2 bits, not 1"));
}

TEST_F(WordMistakes, AWireDrivenTwiceNamesBothPlaces) {
  auto a = s.input<UInt>("a", 1);
  Wire<Net> w(s);
  w.drive(a[0]);
  w.drive(a[0]);
  EXPECT_THAT(message([&] { s.finish(); }),
              HasSubstr("is driven twice; first at tests/gen/hdl/word_test.cpp"));
}

TEST_F(WordMistakes, AWireThatDrivesItself) {
  Wire<Net> w(s), v(s);
  w.drive(v);
  v.drive(w);
  EXPECT_THAT(message([&] { s.finish(); }), HasSubstr("drives itself"));
}

TEST_F(WordMistakes, PortsAreNewAndOfSomeWidth) {
  s.input<UInt>("a", 8);
  EXPECT_THAT(message([&] { s.input<UInt>("a", 8); }),
              HasSubstr("port a exists already; give another name"));
}

TEST_F(WordWires, CostNothing) {
  auto a = s.input<UInt>("a", 8);
  auto c = s.input<UInt>("c", 3);
  auto all = cat(s, {a, c});
  ASSERT_EQ(all.width(), 11u);
  EXPECT_EQ(all[0], c[0]);
  EXPECT_EQ(all[3], a[0]);
  EXPECT_EQ(sext(s, as_signed(c), 5)[4], c[2]);
  EXPECT_EQ(zext(s, c, 5)[4], ir::net_zero);
  EXPECT_EQ(repeat(s, c[1], 4)[3], c[1]);
  auto t = transpose(s, std::array{a.slice(0, 3), c});
  ASSERT_EQ(t.size(), 3u);
  EXPECT_EQ(t[2][0], a[2]);
  EXPECT_EQ(t[2][1], c[2]);
  EXPECT_TRUE(m.cells().empty());
}

}  // namespace dsl_word_test
}  // namespace kumiki::gen
