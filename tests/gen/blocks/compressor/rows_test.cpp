// SPDX-License-Identifier: Apache-2.0
// Trees without the solver: as many stages as asked for, exact, and half of what adders take.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/blocks/compressor/rows.h"
#include "gen/blocks/packing/hardware/sum.h"
#include "tests/gen/blocks/compressor/support.h"

namespace kumiki::gen::compressor {
namespace compressor_rows_test {

// n words of w bits and an empty column on top.
Shape words(unsigned n, unsigned w) {
  const unsigned width = w + static_cast<unsigned>(std::bit_width(n - 1));
  Shape s{std::vector(width + 1, 0u), std::vector(width + 1, 0u)};
  for (unsigned c = 0; c < w; ++c) s.bits[c] = n;
  return s;
}

class RowTree : public ::testing::TestWithParam<unsigned> {};

TEST_P(RowTree, AddsAnyWordsInTheLevelsOfAnAdderTree) {
  const unsigned n = GetParam(), levels = static_cast<unsigned>(std::bit_width(n - 1));
  for (unsigned w : {1u, 2u, 3u, 7u, 16u}) {
    const Shape shape = words(n, w);
    const auto plan = row_tree(shape, levels - 1);
    if (w < 4 && !plan) continue;  // too uneven at its ends
    ASSERT_TRUE(plan) << n << " words of " << w;
    ASSERT_EQ(plan->stages.size(), levels - 1);
    if (w >= 7 && n >= 5) {
      EXPECT_LE(audit(*plan).luts() * 5, 4 * (n - 1) * (shape.width() - 1)) << to_text(*plan);
    }
    Builder builder(ir::Family::ultrascale_plus);
    ir::Module& m = builder.design().add_module("rows");
    Scope s(builder, m);
    const UInt x = s.input<UInt>("x", n * w);
    Heap heap(shape.width());
    for (unsigned i = 0; i < n; ++i) heap.add(x.slice(i * w, w));
    // From a cut on, bits come a clock later, two from the second one on.
    const Pipeline pipeline{
        .every = 1, .enable = ir::net_one, .settled = nullptr, .cuts = {w / 2, w + 1}};
    const auto late = [&](unsigned column) {
      return (column >= pipeline.cuts[0] ? 1u : 0u) + (column >= pipeline.cuts[1] ? 1u : 0u);
    };
    s.output("y", compress(s, heap, *plan, pipeline));
    s.finish();
    builder.design().set_top(m.id());
    backends::NativeSimulator simulator(builder.design());
    std::mt19937_64 random(n);
    for (unsigned round = 0; round < 8; ++round) {
      std::vector<ir::Lanes> in(n * w), out(shape.width());
      for (auto& lanes : in) lanes = round == 0 ? 0 : round == 1 ? ~ir::Lanes{0} : random();
      for (unsigned clock = 0; clock < latency(*plan, 1) + 3; ++clock) {
        std::vector<ir::Lanes> now = in, seen(shape.width());
        for (unsigned i = 0; i < n * w; ++i)
          if (late(i % w) != clock) now[i] = random();
        simulator.get_bits(0, seen);
        for (unsigned c = 0; c < shape.width(); ++c)
          if (clock == latency(*plan, 1) + late(c)) out[c] = seen[c];
        simulator.set_bits(0, now);
        simulator.step();
      }
      for (unsigned lane = 0; lane < 64; ++lane) {
        std::uint64_t want = 0, got = 0;
        for (unsigned i = 0; i < n * w; ++i) want += (in[i] >> lane & 1) << i % w;
        for (unsigned c = 0; c + 1 < shape.width(); ++c) got |= (out[c] >> lane & 1) << c;
        ASSERT_EQ(got, want) << n << " words of " << w << ", lane " << lane;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Words, RowTree, ::testing::Range(2u, 41u));

TEST(RowTree, TooFewStagesAreRefused) {
  EXPECT_FALSE(row_tree(words(7, 8), 1));
  EXPECT_FALSE(row_tree(words(3, 8), 0));
  Shape pairs = words(3, 8);
  pairs.pairs[0] = 1;
  EXPECT_FALSE(row_tree(pairs, 4));
}

// A sum of one bit of which two addends are even: once a range of no bits was asked for.
TEST(SumSites, AddendsAboveTheWidthDoNotCount) {
  Builder builder;
  Scope s(builder, builder.design().add_module("sums"));
  const auto x = packing::Addend::of(s.input<UInt>("x", 3));
  const auto odd = packing::Addend::of(s.input<UInt>("y", 1));
  const std::vector addends{x.times(2), odd, x.times(-2), x.times(4)};
  const auto sum = packing::sum(s, addends, packing::plan_sum(addends, 2, 1), ir::net_one);
  EXPECT_EQ(sum.bits.width(), 1u);
  EXPECT_EQ(sum.shift, 0);
  EXPECT_EQ(packing::plan_sum({x.times(2), odd, x.times(-2)}, 2, 1).sites.adders, 0u);
}

// What packed chains and LUT multipliers ask for.
TEST(SumSites, ATreeIsTakenWhereItIsSmaller) {
  Builder builder;
  Scope s(builder, builder.design().add_module("sums"));
  const auto word = packing::Addend::of(SInt(s.input<UInt>("x", 19)));
  const auto eight = packing::plan_sum(std::vector(8, word), 3, 22).sites;
  EXPECT_EQ(eight.adders, 151u);  // seven of them for carries that wait
  ASSERT_TRUE(eight.on_tree());
  EXPECT_LE(*eight.tree, 100u);
  const auto narrow = packing::Addend::of(SInt(s.input<UInt>("y", 12)));
  EXPECT_FALSE(packing::plan_sum(std::vector(3, narrow), 2, 14).tree);
}

}  // namespace compressor_rows_test
}  // namespace kumiki::gen::compressor
