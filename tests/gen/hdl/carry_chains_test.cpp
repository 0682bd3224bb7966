// SPDX-License-Identifier: Apache-2.0
// Chains that share blocks add what they would add alone, in as few blocks as fours of positions
// fill.
#include "gen/hdl/carry_chains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "backends/fabric/slices.h"
#include "backends/sim/native/simulator.h"
#include "gen/hdl/hdl.h"
#include "ir/check.h"
#include "ir/resources.h"

namespace kumiki::gen {
namespace hdl_carry_chains_test {

// One adder of x and y with a carry for each length, all of them given to carry_chains at once.
struct Adders {
  Adders(const std::vector<unsigned>& of, ir::Family family) : lengths(of), builder(family) {
    ir::Module& m = builder.design().add_module("adders");
    Scope s(builder, m);
    std::vector<CarryIn> chains;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const UInt x = s.input<UInt>(fmt::format("x{}", i), lengths[i]);
      const UInt y = s.input<UInt>(fmt::format("y{}", i), lengths[i]);
      const UInt c = s.input<UInt>(fmt::format("c{}", i), 1);
      CarryIn chain{.carry = c[0]};
      for (unsigned p = 0; p < lengths[i]; ++p) {
        const Lut half{.init = table([](bool a, bool b) { return a != b; }), .in = {x[p], y[p]}};
        chain.propagate.push_back(half.add_to(s));
        chain.di.push_back(x[p]);
      }
      chains.push_back(std::move(chain));
    }
    const auto out = carry_chains(s, chains);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      s.output(fmt::format("sum{}", i), out[i].sum);
      s.output(fmt::format("carry{}", i), bits(s, {out[i].carry}));
    }
    s.finish();
    builder.design().set_top(m.id());
  }

  unsigned blocks() const {
    const auto& cells = builder.design().top().cells();
    return static_cast<unsigned>(std::ranges::count_if(cells, [](const ir::Cell& c) {
      return c.kind == ir::Kind::carry4 || c.kind == ir::Kind::carry8;
    }));
  }

  void expect_sums(std::mt19937_64& random) {
    ir::require_legal(builder.design());
    backends::NativeSimulator simulator(builder.design());
    std::vector<std::array<std::uint64_t, 64>> in(3 * lengths.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const unsigned width = i % 3 == 2 ? 1 : lengths[i / 3];
      for (auto& lane : in[i]) lane = random() & ((1ull << width) - 1);
      simulator.set_each(i, in[i]);
    }
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      std::array<std::uint64_t, 64> sum{}, carry{};
      simulator.get_each(2 * i, sum);
      simulator.get_each(2 * i + 1, carry);
      for (unsigned lane = 0; lane < 64; ++lane)
        ASSERT_EQ(sum[lane] + (carry[lane] << lengths[i]),
                  in[3 * i][lane] + in[3 * i + 1][lane] + in[3 * i + 2][lane])
            << "chain " << i << " of " << lengths[i];
    }
  }

  std::vector<unsigned> lengths;
  Builder builder;
};

unsigned fours(unsigned length) { return (length + 3) / 4; }

TEST(CarryChains, OfEveryTwoLengthsAddInAsFewBlocksAsTheirFoursFill) {
  std::mt19937_64 random(1);
  for (unsigned a = 1; a <= 18; ++a)
    for (unsigned b = a; b <= 18; ++b) {
      Adders two({a, b}, ir::Family::ultrascale_plus);
      two.expect_sums(random);
      // Both odd in fours: together they fill whole blocks. Otherwise each has what it has alone.
      EXPECT_EQ(two.blocks(), (fours(a) + fours(b) + 1) / 2) << a << " and " << b;
    }
}

TEST(CarryChains, OfManyLengthsAddInEveryFamily) {
  std::mt19937_64 random(2);
  for (const auto family :
       {ir::Family::series7, ir::Family::ultrascale, ir::Family::ultrascale_plus})
    for (int round = 0; round < 30; ++round) {
      std::vector<unsigned> lengths(1 + random() % 9);
      unsigned quads = 0, positions = 0;
      for (auto& length : lengths) {
        length = 1 + static_cast<unsigned>(random() % 20);
        quads += fours(length);
        positions += length;
      }
      Adders many(lengths, family);
      many.expect_sums(random);
      EXPECT_EQ(many.blocks(), family == ir::Family::series7 ? quads : (quads + 1) / 2);
      const auto packed =
          backends::fabric::pack(backends::timing::Netlist(many.builder.design()), {});
      EXPECT_EQ(packed.sites, positions) << "a position is a LUT, wherever its chain begins";
      EXPECT_EQ(ir::own_cost(many.builder.design().top()).luts, positions);
      EXPECT_EQ(packed.slices, many.blocks());
    }
}

// Blocks one above the other have to find a column: what stands on a long chain is short.
TEST(CarryChains, NoColumnIsMuchTallerThanItsLongestChain) {
  EXPECT_EQ(Adders({60, 60}, ir::Family::ultrascale_plus).blocks(), 16u) << "two of eight";
  EXPECT_EQ(Adders({60, 3, 60, 4}, ir::Family::ultrascale_plus).blocks(), 16u);
}

}  // namespace hdl_carry_chains_test
}  // namespace kumiki::gen
