// SPDX-License-Identifier: Apache-2.0
// Delays of trees worked by hand from the table of the 7 series, grade -1: a wire through the
// fabric 600 ps to one reader, 760 to three, a LUT 124, a wire beside 20, into a
// chain 400, a position 28, out of it 250.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/blocks/compressor/netlist_delay.h"
#include "gen/blocks/compressor/options.h"
#include "gen/blocks/compressor/paths.h"
#include "gen/blocks/compressor/solver/solve.h"
#include "ir/text.h"

namespace kumiki::gen::compressor {
namespace netlist_delay_test {

unsigned delay(const std::string& text, ir::Family family = ir::Family::series7) {
  return static_cast<unsigned>(netlist_delay(parse_tree(text), family));
}

TEST(NetlistDelay, OfAFullAdderIsALutBetweenTwoWires) {
  EXPECT_EQ(delay("tree 2 columns, finish row\nbits 3 0\nstage\n  1 x fa at 0\n"),
            600u + 124 + 600);
}

// A LUT6_2 makes S and DI of position 0; the carry enters there, passes position 1 and leaves at
// the position above it.
TEST(NetlistDelay, OfAChainEntersAtItsFirstPositionAndPassesTheOthers) {
  EXPECT_EQ(delay("tree 3 columns, finish row\nbits 2 2 0\nstage\n  chain A2 A2 at 0\n"),
            600u + 124 + 20 + 400 + 28 + 250 + 600);
}

// DI starts a carry where S is 0; where S is always 1 nobody sees it.
TEST(NetlistDelay, ADiThatComesLateCountsUnlessItsPositionPassesTheCarry) {
  const auto with_s = [](const char* s) {
    const auto design = ir::parse(fmt::format(R"(design 7series top m
module m
  input x = %3..5
  output y = %21
  %10 = LUT1 I0=%3 INIT=0x1
  %11 = LUT1 I0=%10 INIT=0x1
  %20..27 = CARRY4 DI=%11,0*3 S={},%5,0*2
)",
                                              s));
    return Paths(design->top(), ir::timing::delays(ir::Family::series7, {})).longest();
  };
  EXPECT_EQ(with_s("%4"), 600 + 124 + 600 + 124 + 600 + 400 + 28 + 250 + 600);
  EXPECT_EQ(with_s("1"), 600 + 124 + 20 + 400 + 250 + 600) << "S of the next one, through a LUT";
}

// Three LUTs read each of the six bits.
TEST(NetlistDelay, CountsTheReadersOfEveryWire) {
  EXPECT_EQ(delay("tree 3 columns, finish row\nbits 6 0 0\nstage\n  1 x c63 at 0\n"),
            760u + 124 + 600);
}

// In a tree for delay early bits go where several LUTs read them, late ones where one does.
TEST(NetlistDelay, IsLessWhereBitsAreGivenOutAsTheyCome) {
  unsigned trees = 0;
  for (const ShippedTree& tree : shipped_trees()) {
    if (!tree.file.starts_with("multiplier16x16") || tree.plan.objective != Objective::delay)
      continue;
    TreePlan as_planned = tree.plan;
    as_planned.objective = Objective::stages;
    EXPECT_LT(netlist_delay(tree.plan, ir::Family::series7) + 50,
              netlist_delay(as_planned, ir::Family::series7))
        << tree.file;
    ++trees;
  }
  EXPECT_EQ(trees, 2u);
}

TEST(NetlistDelay, OfNothingIsAWire) {
  EXPECT_EQ(delay("tree 1 columns, finish row\nbits 1\n"), 600u);
}

// UltraScale+ is faster than UltraScale, and that than the 7 series.
TEST(NetlistDelay, IsOfTheFamily) {
  for (const ShippedTree& tree : shipped_trees()) {
    if (tree.plan.free_exits || tree.plan.shape.total() > 64) continue;
    const auto at = [&](ir::Family f) { return netlist_delay(tree.plan, f); };
    EXPECT_LT(at(ir::Family::ultrascale_plus), at(ir::Family::ultrascale)) << tree.file;
    EXPECT_LT(at(ir::Family::ultrascale), at(ir::Family::series7)) << tree.file;
  }
}

}  // namespace netlist_delay_test
}  // namespace kumiki::gen::compressor
