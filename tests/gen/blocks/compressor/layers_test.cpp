// SPDX-License-Identifier: Apache-2.0
// Plans of the layer types of one tree, the shipped trees, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/blocks/compressor/picture.h"
#include "gen/blocks/compressor/solver/runs.h"
#include "gen/layers/compressor/layer.h"
#include "ir/error.h"
#include "tests/gen/blocks/compressor/support.h"
#include "tests/support/printed_plan.h"

namespace kumiki::gen::compressor {
namespace compressor_layers_test {

using ::testing::HasSubstr;

constexpr TreeOptions quick{.effort = 0};

TEST(SumPlan, ResultsAreAsWideAsTheSumNeeds) {
  auto width = [](const SumPlan& p) { return std::pair(p.width, p.is_signed); };
  EXPECT_EQ(width(plan_sum(spec(PopcountRequest{quick, 16}), quick)), std::pair(5u, false));
  EXPECT_EQ(width(plan_sum(spec(PopcountRequest{quick, 15}), quick)), std::pair(4u, false));
  EXPECT_EQ(width(plan_sum(spec(MultiplierRequest{quick, 4, 5, false}), quick)),
            std::pair(9u, false));
  // -8 * -16 = 128 is the only product that needs the ninth bit.
  EXPECT_EQ(width(plan_sum(spec(MultiplierRequest{quick, 4, 5, true}), quick)),
            std::pair(9u, true));
  EXPECT_EQ(width(plan_sum(spec(ConstDotRequest{quick, {0}, 8, true, 5}), quick)),
            std::pair(3u, false));
}

TEST(SumPlan, WhatNeedsTooManyBitsIsRefused) {
  auto refused = [](const SumSpec& s) {
    try {
      plan_sum(s, quick);
      ADD_FAILURE() << s.module << " was accepted";
    } catch (const DesignError& e) {
      EXPECT_THAT(e.what(), HasSubstr("the sum needs more than 63 bits"));
    }
  };
  refused(spec(CompressorRequest{quick, {{.count = 1, .bits = 62, .column = 5}}}));
  refused(spec(CompressorRequest{quick, {{.count = 1, .bits = 50, .factor = 1 << 20}}}));
  refused({"unlike", {{"a", 1, 62}}, {{0, 0}}});
  refused({"wide", {{"a", 1, 63}}, {{0}}});
  EXPECT_EQ(plan_sum({"wide", {{"a", 1, 62}}, {{0}}}, quick).width, 62u);
}

// What is added, as long as a name of that length is one that people read.
TEST(SumPlan, ModulesAreNamedAfterTheirOperands) {
  EXPECT_EQ(
      spec(CompressorRequest{quick, {{.count = 3, .bits = 8}, {.bits = 4, .is_signed = true}}})
          .module,
      "compressor_3x8u_1x4s");
  const std::vector<OperandRequest> many(20, {.count = 2, .bits = 3});
  EXPECT_EQ(spec(CompressorRequest{quick, many}).module, "compressor_40words");
}

TEST(SumPlan, ProductsOfUnlikeSignAreRefused) {
  SumSpec s{"unlike", {{"a", 1, 4, true}, {"b", 1, 4, false}}, {{0, 1}}};
  EXPECT_THROW(plan_sum(s, quick), DesignError);
}

TEST(SumPlan, TextAndJsonSayWhatTheTreeCosts) {
  auto layer = make_layer(PopcountRequest{quick, 6});
  EXPECT_THAT(layer->plan_text(), HasSubstr("sum          0 to 6 on 3 bits, unsigned"));
  EXPECT_THAT(layer->plan_text(), HasSubstr("heap             0    0    6"));
  nlohmann::ordered_json json = tests::printed_plan(*layer);
  EXPECT_EQ(json["luts"], 3);
  EXPECT_EQ(json["stages"], 1);
  EXPECT_EQ(json["latency"], 0);
}

// Every bit of every stage is a dot, every element outlines what it takes.
TEST(Picture, ShowsEveryBitOfEveryStage) {
  TreePlan plan =
      parse_tree("tree 3 columns, finish row\nbits 7 0 0\nstage\n1 x fa at 0\nchain A14 at 0\n");
  auto count = [text = picture_svg(plan)](std::string_view what) {
    std::size_t n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  const Audit a = audit(plan);
  unsigned bits = 0;
  for (const auto& level : a.levels)
    for (unsigned n : level.bits) bits += n;
  EXPECT_EQ(count("<circle"), bits + 1);  // and that of the legend
  EXPECT_EQ(count("class=\"bit\""), bits);
  EXPECT_EQ(count("class=\"box counter\""), 1u);  // three bits of column 0
  EXPECT_EQ(count("class=\"box"), 2u);
  EXPECT_THAT(picture(plan), HasSubstr("1 x [A14] at 0"));
}

// An open carry is a ring where it is, and the chain that leaves it is dashed.
TEST(Picture, MarksOpenCarries) {
  TreePlan plan = parse_tree(
      "tree 3 columns, finish row\nbits 6 0 0\nstage\nchain A2 at 0 open\n1 x fa at 0\n");
  const std::string svg = picture_svg(plan);
  EXPECT_THAT(svg, HasSubstr("class=\"open\"/>"));
  EXPECT_THAT(picture(plan), HasSubstr("[A2 open] at 0"));
  EXPECT_THAT(picture(plan), HasSubstr("+1o"));
  plan.stages[0].chains[0].is_open = false;
  EXPECT_THAT(picture_svg(plan), ::testing::Not(HasSubstr("class=\"open\"/>")));
}

TEST(Picture, DashesChainsThatStayOpen) {
  const char* text = "tree 4 columns, finish row\nbits 5 2 1 0\nstage\nchain A14 at 0{}\n";
  EXPECT_THAT(picture_svg(parse_tree(fmt::format(fmt::runtime(text), " open"))),
              HasSubstr("class=\"chain left-open\""));
  EXPECT_THAT(picture_svg(parse_tree(fmt::format(fmt::runtime(text), ""))),
              ::testing::Not(HasSubstr("class=\"chain left-open\"")));
}

// Every shipped tree: audited when it is read, built, counted and run here.
class EveryShippedTree : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryShippedTree, AddsAndCostsWhatItSays) {
  const auto& [file, plan] = shipped_trees()[GetParam()];
  const Shape& shape = plan.shape;
  unsigned inputs = 0;
  for (unsigned c = 0; c < shape.width(); ++c) inputs += shape.bits[c] + 2 * shape.pairs[c];
  HeapCircuit circuit(inputs, shape.width(),
                      [&](Heap& h, const UInt& x) {
                        unsigned next = 0;
                        for (unsigned c = 0; c < shape.width(); ++c) {
                          for (unsigned i = 0; i < shape.bits[c]; ++i) h.add(c, x[next++]);
                          for (unsigned i = 0; i < shape.pairs[c]; ++i, next += 2)
                            h.add(c, Bit{Bit::Form::xnor_, x[next], x[next + 1]});
                        }
                      },
                      plan, ir::Family::series7, {.every = plan.free_exits ? 1u : 0u});
  EXPECT_LE(circuit.sites(), audit(plan).luts()) << file;
  EXPECT_LE(longest_run(plan), most_positions) << file;
  if (plan.free_exits) return;  // its timing is lockstep's business
  std::mt19937_64 random(1);
  const unsigned top = shape.width() - 1;
  for (int round = 0; round < 50; ++round) {
    std::vector<ir::Lanes> x(inputs);
    for (auto& w : x) {
      ir::Lanes a = random(), b = random();
      w = round % 3 == 0 ? a : round % 3 == 1 ? a & b : a | b;
      if (round == 0) w = 0x2;  // all zero and all one among them
    }
    auto y = circuit.run(x);
    for (unsigned lane = 0; lane < 64; ++lane) {
      std::uint64_t want = 0, got = 0;
      unsigned next = 0;
      for (unsigned c = 0; c < shape.width(); ++c) {
        for (unsigned i = 0; i < shape.bits[c]; ++i) want += (x[next++] >> lane & 1) << c;
        for (unsigned i = 0; i < shape.pairs[c]; ++i, next += 2)
          want += (~(x[next] ^ x[next + 1]) >> lane & 1) << c;
      }
      for (std::size_t i = 0; i < y.size(); ++i) got |= (y[i] >> lane & 1) << i;
      // A comparison is only asked about sums that its heap can reach.
      if (plan.finish != Finish::carry) {
        ASSERT_EQ(got, want & ((1ull << shape.width()) - 1)) << file;
      } else if (want >> top < 2) {
        ASSERT_EQ(got, want >> top) << file;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Trees, EveryShippedTree,
                         ::testing::Range<std::size_t>(0, shipped_trees().size()));

TEST(ShippedTrees, IsUsedInsteadOfTheSolver) {
  ASSERT_FALSE(shipped_trees().empty());
  const TreePlan& first = shipped_trees()[0].plan;
  EXPECT_EQ(shipped({.shape = first.shape,
                     .finish = first.finish,
                     .free_exits = first.free_exits,
                     .objective = first.objective}),
            first);
}

}  // namespace compressor_layers_test
}  // namespace kumiki::gen::compressor
