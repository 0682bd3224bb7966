// SPDX-License-Identifier: Apache-2.0
// What a network can be folded to: the front of pipelines against the search for a pace and for
// slices, and budgets of LUTs and memories against all of its netlists.
#include "gen/layers/pipeline/folding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gen/config/document.h"
#include "gen/graph/text.h"
#include "gen/layers/pipeline/budget.h"
#include "gen/layers/pipeline/messages.h"
#include "gen/layers/pipeline/streamed.h"
#include "gen/operators/conv/lut_matrix.h"
#include "tests/support/long_form.h"
#include "tests/support/random_graph.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::folding_test {

using test::RandomGraph;

Request request_of(graph::Graph g) {
  Request r;
  r.graph = GraphFile{.file = "random.graph",
                      .graph = std::make_shared<const graph::Graph>(std::move(g))};
  return r;
}

// Names of all layers that can be so.
std::optional<NodeNames> names_of(const graph::Graph& g,
                                  std::string (*why_not)(const graph::Graph&, const graph::Node&)) {
  const graph::Graph stream = streamed(g);
  std::vector<std::string> names;
  for (const graph::Node& n : stream.nodes)
    if (std::holds_alternative<graph::Conv>(n.op) && why_not(stream, n).empty())
      names.push_back(n.name);
  if (names.empty()) return {};
  return names;
}

// Some that have machines for all of their nodes; every second one with all that can be in LUTs.
std::vector<Request> random_requests(int count) {
  const std::uint64_t seed = test::rotating_seed();
  std::vector<Request> all;
  for (std::uint64_t i = 0; std::ssize(all) < count; ++i) {
    RandomGraph random(seed * 1000 + i);
    Request r = request_of(i % 2 == 0 ? random.made() : random.of_few_bits());
    try {
      if (all.size() % 2 == 1) r.in_luts = names_of(*r.graph->graph, why_not_in_luts);
      (void)Folder(r, {}).front();
      all.push_back(std::move(r));
    } catch (const DesignError& e) {
      EXPECT_EQ(e.code(), code::no_machine);
    }
  }
  return all;
}

TEST(PipelineFront, IsWhatTheSearchesFind) {
  for (const Request& r : random_requests(test::long_form() ? 60 : 8)) {
    const Folder folder(r, {});
    const auto points = folder.front();
    ASSERT_FALSE(points.empty());
    if (const auto fastest = points[0].clocks; fastest > 1) {
      EXPECT_THROW(folder.of_clocks(fastest - 1), config::Refusal);
    }
    for (const FrontPoint& p : points) {
      EXPECT_EQ(folder.of_clocks(p.clocks).slices(), p.slices);
      EXPECT_EQ(folder.of_clocks(p.clocks).interval(), p.clocks);
    }
    // Between two points there is nothing: a slice less costs all the clocks to the next one.
    for (std::size_t i = 1; i < points.size(); ++i) {
      ASSERT_LT(points[i].slices, points[i - 1].slices);
      EXPECT_EQ(folder.of_slices(points[i - 1].slices - 1).interval(), points[i].clocks);
      EXPECT_EQ(folder.of_clocks(points[i].clocks - 1).slices(), points[i - 1].slices);
    }
    if (const auto least = points.back().slices; least > 1) {
      EXPECT_THROW(folder.of_slices(least - 1), config::Refusal);
    }
  }
}

// From point to point there are fewer slices, or as many and fewer bits in trees, and nothing
// between them. Slices go first: fewer bits may come in more lanes, each of which is requantised
// in slices.
TEST(PipelineFront, OfTreesHasAllPaces) {
  std::size_t points = 0;
  for (Request& r : random_requests(test::long_form() ? 20 : 2)) {
    r.in_luts.reset();
    r.in_trees = names_of(*r.graph->graph, why_not_in_trees);
    const Folder folder(r, {});
    const auto front = folder.front();
    points += front.size();
    for (std::size_t i = 1; i < front.size(); ++i) {
      const FrontPoint &before = front[i - 1], &here = front[i];
      EXPECT_LT(std::pair(here.slices, here.tree_bits), std::pair(before.slices, before.tree_bits));
      if (i != 1 && !test::long_form()) continue;
      const PipelinePlan faster = folder.of_clocks(here.clocks - 1),
                         plan = folder.of_clocks(here.clocks);
      EXPECT_EQ(faster.slices(), before.slices);
      EXPECT_EQ(bits_of_trees(faster), before.tree_bits);
      EXPECT_EQ(plan.slices(), here.slices);
      EXPECT_EQ(bits_of_trees(plan), here.tree_bits);
    }
  }
  EXPECT_GT(points, 3U);
}

// Whatever the pace, from the fastest one on: it is kept, and a slower one takes no more slices.
// Windows of a pool that reach past the map take clocks of their own, and lanes of the sums divide
// otherwise from folding to folding.
TEST(PipelineFront, EveryPaceIsKeptAndNoneTakesMoreSlicesThanAFasterOne) {
  std::mt19937_64 random(test::rotating_seed());
  for (const Request& r : random_requests(test::long_form() ? 40 : 6)) {
    const Folder folder(r, {});
    const auto front = folder.front();
    std::set<std::int64_t> paces;
    std::uniform_int_distribution<std::int64_t> any(front.front().clocks,
                                                    front.back().clocks * 5 / 4);
    for (int i = 0; i < 12; ++i) paces.insert(any(random));
    std::int64_t most = front.front().slices;
    for (const std::int64_t clocks : paces) {
      const PipelinePlan plan = folder.of_clocks(clocks);
      EXPECT_LE(plan.interval(), clocks);
      EXPECT_LE(plan.slices(), most) << clocks;
      most = plan.slices();
    }
  }
}

constexpr auto family = ir::Family::ultrascale_plus;

// Of all netlists the first that fits, whatever the budget; one LUT less than the smallest is
// refused with the number that would be legal.
TEST(PipelineBudget, TheFastestThatFits) {
  for (Request r : random_requests(test::long_form() ? 10 : 2)) {
    const auto all = priced_front(r, {}, family).points;
    ASSERT_FALSE(all.empty());
    const auto fewest = std::ranges::min(all, {}, &Priced::luts).luts();
    for (std::size_t i = 0; i < all.size(); i += test::long_form() ? 1 : 1 + all.size() / 3) {
      const Priced& p = all[i];
      r.luts = p.luts();
      const auto first =
          std::ranges::find_if(all, [&](const Priced& other) { return other.luts() <= p.luts(); });
      EXPECT_EQ(planned(r, {}, family).interval(), first->plan.interval());
      r.brams = p.cost.brams_18k;
      const auto both = std::ranges::find_if(all, [&](const Priced& other) {
        return other.luts() <= p.luts() && other.cost.brams_18k <= p.cost.brams_18k;
      });
      EXPECT_EQ(planned(r, {}, family).interval(), both->plan.interval());
      r.brams.reset();
    }
    r.luts = fewest - 1;
    try {
      (void)planned(r, {}, family);
      ADD_FAILURE() << "fewer LUTs than any netlist has";
    } catch (const config::Refusal& e) {
      EXPECT_EQ(e.code(), code::pipeline_too_slow);
      EXPECT_EQ(e.violation().key, "luts");
      EXPECT_THAT(e.violation().required, ::testing::HasSubstr(std::to_string(fewest)));
    }
    // Slices and LUTs at once: never more than either.
    r.luts = all[all.size() / 2].luts();
    r.slices = std::max<std::int64_t>(all[all.size() / 3].plan.slices(), 1);
    const auto wanted = std::ranges::find_if(
        all, [&](const Priced& p) { return p.luts() <= *r.luts && p.plan.slices() <= *r.slices; });
    if (wanted != all.end()) {
      EXPECT_EQ(planned(r, {}, family).interval(), wanted->plan.interval());
    } else {
      EXPECT_THROW((void)planned(r, {}, family), config::Refusal);
    }
  }
}

// Of the front the fastest one with so few slices: fewer slices never come with fewer clocks.
TEST(PipelineFits, HalvingFindsTheFastestThatFits) {
  for (const Request& r : random_requests(test::long_form() ? 10 : 2)) {
    const auto front = Folder(r, {}).front();
    for (const FrontPoint& p : {front.front(), front[front.size() / 2], front.back()}) {
      const Fitted f = fitted(
          r, {}, family, [&](const ir::Cost& cost) { return std::int64_t{cost.dsps} <= p.slices; });
      ASSERT_TRUE(f.found);
      const auto first = std::ranges::find_if(
          front, [&](const FrontPoint& other) { return other.slices <= p.slices; });
      EXPECT_EQ(f.clocks, first->clocks);
      EXPECT_EQ(f.found->plan.slices(), first->slices);
      // Asked for by its pace, it comes again.
      Request again = r;
      again.clocks = f.clocks;
      EXPECT_EQ(planned(again, {}, family).slices(), f.found->plan.slices());
    }
    const Fitted none = fitted(r, {}, family, [](const ir::Cost&) { return false; });
    EXPECT_FALSE(none.found);
    EXPECT_EQ(none.slowest, front.back().clocks);
    EXPECT_EQ(none.cost.dsps, front.back().slices);
  }
}

// A dense layer with 49,152 weights of 8 bits, more than 20 block RAMs hold.
Request many_weights() {
  std::string text =
      "graph net\ntensor x s8 384x1x1\ntensor y s8 128x1x1 scale 0x1p-3\ninput x\noutput y\n"
      "conv fc x -> y kernel 1x1\n  scales 0x1p-9\n  bias";
  for (int i = 0; i < 128; ++i) text += " 1";
  for (int i = 0; i < 128; ++i) {
    text += "\n  weights";
    for (int k = 0; k < 384; ++k) text += fmt::format(" {}", (i * 384 + k) * 37 % 255 - 127);
  }
  return request_of(graph::parse_graph("net.graph", text + "\n"));
}

TEST(PipelineFits, WeightsGoOutsideWhereBytesAClockAreGiven) {
  Request r = many_weights();
  r.brams = 16;
  const auto fits = [](const ir::Cost& cost) { return cost.brams_18k <= 16 && cost.dsps <= 64; };
  const Fitted inside = fitted(r, {}, family, fits);
  EXPECT_FALSE(inside.found);
  EXPECT_GT(inside.cost.brams_18k, 16u);
  r.bytes_a_clock = 16;
  const Fitted outside = fitted(r, {}, family, fits);
  ASSERT_TRUE(outside.found);
  EXPECT_EQ(outside.found->plan.weights.size(), 1u);
  EXPECT_TRUE(fits(outside.found->cost));
  EXPECT_LE(weight_bytes(outside.found->plan), 16 * outside.clocks);
  r.bytes_a_clock = 0.01;
  const Fitted slow = fitted(r, {}, family, fits);
  EXPECT_FALSE(slow.found);
  EXPECT_TRUE(slow.lacks_bytes);
  EXPECT_FALSE(inside.lacks_bytes);
}

TEST(PipelineBudget, UltraRamIsOfOneFamily) {
  Request r = many_weights();
  r.clocks = 100'000;
  r.urams = 1;
  EXPECT_EQ(planned(r, {}, family).urams, 1);
  try {
    (void)planned(r, {}, ir::Family::ultrascale);
    ADD_FAILURE() << "ultrascale has no UltraRAM";
  } catch (const config::Refusal& e) {
    EXPECT_EQ(e.violation().key, "uram");
    EXPECT_STREQ(e.what(),
                 "uram asks for UltraRAM, which the family ultrascale does not have; must be 0, or "
                 "take the family ultrascale+");
  }
}

}  // namespace kumiki::gen::pipeline::folding_test
