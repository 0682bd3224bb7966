// SPDX-License-Identifier: Apache-2.0
// Graphs as pipelines at some pace: frame by frame against their definition on the native
// simulator, with another pattern of stalls in each of its 64 lanes, and the clocks between frames
// as planned.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>

#include "backends/sim/native/machine.h"
#include "gen/graph/interpret.h"
#include "gen/graph/text.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/pipeline/build.h"
#include "gen/layers/pipeline/counts/flow.h"
#include "gen/layers/pipeline/folding.h"
#include "gen/layers/pipeline/host.h"
#include "gen/layers/pipeline/lower.h"
#include "gen/layers/pipeline/messages.h"
#include "gen/layers/pipeline/queues.h"
#include "gen/layers/pipeline/streamed.h"
#include "ir/check.h"
#include "ir/resources.h"
#include "tests/support/random_graph.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::runs {

using graph::Graph;
using graph::TensorId;
using test::RandomGraph;

// Where products are, or their weights: of all but `slices` every node that can be there, and one
// at least.
enum class In { slices, luts, trees, outside };

constexpr ir::Family usual_family = ir::Family::ultrascale_plus;

inline NodeChoices nodes_in(In where, const Graph& g) {
  NodeChoices all;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    if (!std::holds_alternative<graph::Conv>(g.nodes[i].op)) continue;
    if (where == In::luts && why_not_in_luts(g, g.nodes[i]).empty()) all.in_luts.insert(i);
    if (where == In::trees && why_not_in_trees(g, g.nodes[i]).empty()) all.in_trees.insert(i);
    if (where == In::outside && why_not_outside(g, g.nodes[i]).empty()) all.outside.insert(i);
  }
  return all;
}

// A pipeline of the graph at some pace; nothing where a node has no machine.
inline std::optional<PipelinePlan> pipeline_of(const Graph& g, std::uint64_t seed,
                                               In where = In::slices,
                                               ir::Family family = usual_family) {
  try {
    const auto shared = std::make_shared<const Graph>(g);
    const auto stream = std::make_shared<const Graph>(streamed(*shared));
    NodeChoices choices = nodes_in(where, *stream);
    if (where != In::slices && choices.in_luts.empty() && choices.in_trees.empty() &&
        choices.outside.empty())
      return {};
    choices.word_bits = std::int64_t{32} << seed % 3;
    static ir::Remembered trees;
    const Foldings foldings(stream, packing::Limits::of(family), choices, {.store = &trees});
    const auto paces = foldings.paces();
    std::int64_t clocks = paces.empty() ? 1 : paces[seed % paces.size()];
    for (;;) try {
        PipelinePlan plan = with_queues(lowered(foldings, clocks));
        plan.graph = shared;
        EXPECT_LE(plan.interval(), clocks);
        return plan;
      } catch (const TooSlow& e) {
        EXPECT_GT(e.interval, clocks);
        clocks = e.interval;
      }
  } catch (const DesignError& e) {
    EXPECT_EQ(e.code(), code::no_machine) << e.what();
    return {};
  }
}

class Netlist {
 public:
  explicit Netlist(const PipelinePlan& plan, ir::Family family = usual_family) : builder_(family) {
    build_top(builder_, build_pipeline, plan, input_shape(plan));
    // Without warnings as well: nothing is made that nobody reads. There are exceptions: the byte
    // in a word of an address that is read; the place in a page of the image of weights; which of
    // two errors an answer is; lanes past the last channel, which mean nothing. In front of layers
    // in LUTs there are numbers on which no result depends. Of several inputs one may have fewer
    // bits, or nobody reads it.
    const bool in_luts = std::ranges::any_of(
        plan.boxes, [](const Box& b) { return b.machine->kind() == "unrolled"; });
    for (const ir::Finding& f : ir::check(builder_.design())) {
      const std::string text = to_string(f);
      if (text.find("input s_axi_araddr") == std::string::npos &&
          text.find("input weights_base") == std::string::npos &&
          text.find("input m_axi_rresp") == std::string::npos &&
          text.find("output out_data") == std::string::npos &&
          !((in_luts || plan.inputs.size() > 1) && text.find("input in_data") != std::string::npos))
        ADD_FAILURE() << text;
    }
  }
  const ir::Design& design() const { return builder_.design(); }

 private:
  Builder builder_;
};

// A host that offers and takes as chance has it, less often the higher its number; the first one
// always, the second one takes nothing for a long while at first.
inline Stalls stalls_of(std::size_t host, std::uint64_t seed) {
  if (host == 0) return {};
  if (host == 1) return {.offers = {}, .takes = [](std::int64_t clock) { return clock > 3000; }};
  const auto chance = [](std::uint64_t own, std::uint64_t share) {
    return [random = std::mt19937_64(own), share](std::int64_t) mutable {
      return random() % 64 >= share;
    };
  };
  return {.offers = chance(seed * 64 + host, host % 8 * 8),
          .takes = chance(seed * 64 + host + 1'000'000, host / 8 * 8),
          .answers = chance(seed * 64 + host + 2'000'000, host % 5 * 8)};
}

inline void expect_as_defined(const Graph& g, const PipelinePlan& plan, std::uint64_t seed,
                              ir::Family family = usual_family) {
  const Netlist netlist(plan, family);
  backends::NativeLanes lanes(netlist.design());
  constexpr std::size_t hosts = 64, frames = 4;
  const auto images = test::random_images(g, hosts * frames, seed);
  const std::size_t size = graph::numbers_of_image(g) * frames;
  std::vector<Host> all;
  for (std::size_t h = 0; h < hosts; ++h)
    all.emplace_back(plan, std::span(images).subspan(h * size, size), stalls_of(h, seed));
  ASSERT_NO_THROW(play(all, plan, lanes, {.patience = 2'000'000}));
  // Of several outputs the numbers of the first one, then those of the next.
  const graph::Interpreter definition(g);
  graph::Interpreter::Memory memory;
  for (std::size_t i = 0; i < hosts * frames; ++i) {
    definition.run(std::span(images).subspan(i * size / frames, size / frames), memory);
    std::vector<std::int32_t> wanted;
    for (const TensorId output : g.outputs)
      wanted.insert(wanted.end(), memory[output].begin(), memory[output].end());
    ASSERT_THAT(all[i / frames].results()[i % frames], ::testing::ElementsAreArray(wanted))
        << "host " << i / frames << ", frame " << i % frames;
  }
}

// From frame to frame, when nothing stalls and others still come: every frame leaves when the
// counts say so, and those prove the planned pace for all that follow.
inline void expect_pace(const Graph& g, const PipelinePlan& plan,
                        ir::Family family = usual_family) {
  const Netlist netlist(plan, family);
  backends::NativeLanes lanes(netlist.design());
  constexpr std::size_t frames = 20, first = 2, last = 16;
  const auto images = test::random_images(g, frames, 1);
  std::vector<Host> one;
  one.emplace_back(plan, images);
  ASSERT_NO_THROW(play(one, plan, lanes, {.patience = 2'000'000}));
  const FlowRun counted = flow(plan, 0, {.frames = 1000});
  ASSERT_GT(counted.turn, 0U);
  EXPECT_EQ(counted.interval(), plan.interval());
  const auto& left = one[0].left();
  for (std::size_t f = first + 1; f < std::min(last, counted.ends.size()); ++f)
    EXPECT_EQ(left[f] - left[first], counted.ends[f] - counted.ends[first]) << "frame " << f;
}

// The same at this pace, which it must have. Prints what it takes, and each of its machines.
inline void expect_in_clocks(const Graph& g, std::int64_t clocks, const std::string& name) {
  const auto shared = std::make_shared<const Graph>(g);
  PipelinePlan plan = with_queues(lowered(Foldings(shared, {}, {}, {}), clocks));
  plan.graph = shared;
  EXPECT_EQ(plan.interval(), clocks);
  const Netlist netlist(plan);
  const auto cost = ir::count_resources(netlist.design()).total;
  fmt::print("{}: {} LUTs, {} flip-flops, {} slices, {} RAMB18\n", name, cost.luts + cost.lut_rams,
             cost.ffs, cost.dsps, cost.brams_18k);
  for (const Box& b : plan.boxes) {
    Builder alone;
    alone.design().set_top(b.machine->build_alone(alone, {}).id());
    const auto one = ir::count_resources(alone.design()).total;
    fmt::print("  {}: {}, {} LUTs, {} RAMB18\n", b.name, b.machine->text(), one.luts + one.lut_rams,
               one.brams_18k);
  }
  ASSERT_NO_FATAL_FAILURE(expect_as_defined(g, plan, 1));
  ASSERT_NO_FATAL_FAILURE(expect_pace(g, plan));
}

// A graph of a node in float32, which has machines in integers alone.
inline void expect_refused_in_float32(const Graph& g) {
  try {
    lowered(Foldings(std::make_shared<const Graph>(g), {}, {}, {}), 100);
    FAIL();
  } catch (const NoMachine& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("import the model with --averages sums"));
  }
}

using Made = Graph (RandomGraph::*)();
inline void expect_random_graphs(Made make, int graphs, std::set<std::string>& kinds,
                                 In where = In::slices, bool keeps_pace = true,
                                 ir::Family family = usual_family) {
  const std::uint64_t seed = test::rotating_seed();
  int made = 0;
  for (std::uint64_t i = 0; made < graphs && i < 40U * static_cast<unsigned>(graphs); ++i) {
    const std::uint64_t own = seed * 1000 + i;
    const Graph g = (RandomGraph(own).*make)();
    SCOPED_TRACE(graph::to_text(g));
    const auto plan = pipeline_of(g, own, where, family);
    if (!plan) continue;
    ++made;
    for (const Box& b : plan->boxes) kinds.insert(b.machine->kind());
    ASSERT_NO_FATAL_FAILURE(expect_as_defined(g, *plan, own, family));
    if (!keeps_pace) continue;
    ASSERT_NO_FATAL_FAILURE(expect_pace(g, *plan, family));
  }
  EXPECT_EQ(made, graphs);
}

// A graph of several layers that has machines for all of its nodes.
inline Graph some_graph() {
  for (std::uint64_t seed = 1;; ++seed)
    if (const Graph g = RandomGraph(seed).made(); g.outputs.size() == 1)
      if (const auto plan = pipeline_of(g, seed); plan && plan->boxes.size() > 8) return g;
}

}  // namespace kumiki::gen::pipeline::runs
