// SPDX-License-Identifier: Apache-2.0
// Networks as pipelines: random graphs at random paces; netlist against model with resets in the
// middle, and with wrong cells.
#include <map>

#include "gen/layers/pipeline/layer.h"
#include "gen/layers/pipeline/messages.h"
#include "tests/support/levels.h"
#include "tests/support/long_form.h"
#include "tests/support/network_rig.h"
#include "tests/support/pipeline_runs.h"
#include "tests/support/random.h"
#include "tests/support/wired.h"

namespace kumiki::gen::pipeline::network_test {

using graph::Graph;
using graph::TensorId;
using namespace runs;

TEST(PipelineNetworks, RandomGraphsAreAsDefinedWhateverTheStreamsDo) {
  std::set<std::string> kinds;
  expect_random_graphs(&RandomGraph::made, test::long_form() ? 100 : 8, kinds);
  for (const char* kind : {"convolution", "requantise"}) EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST(PipelineNetworks, RandomGraphsOfFewBits) {
  std::set<std::string> kinds;
  expect_random_graphs(&RandomGraph::of_few_bits, test::long_form() ? 100 : 8, kinds);
  for (const char* kind : {"convolution", "thresholds"}) EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST(PipelineNetworks, RandomGraphsWithLayersInLuts) {
  for (const Made make :
       {&RandomGraph::made, &RandomGraph::of_few_bits, &RandomGraph::of_identities}) {
    std::set<std::string> kinds;
    expect_random_graphs(make, test::long_form() ? 50 : 3, kinds, In::luts);
    EXPECT_TRUE(kinds.contains("unrolled"));
  }
}

TEST(PipelineNetworks, RandomGraphsWithLayersInTrees) {
  std::set<std::string> kinds;
  expect_random_graphs(&RandomGraph::of_few_bits, test::long_form() ? 50 : 3, kinds, In::trees);
  EXPECT_TRUE(kinds.contains("convolution"));
}

TEST(PipelineNetworks, RandomGraphsOnThe7Series) {
  std::set<std::string> kinds;
  for (const Made make : {&RandomGraph::made, &RandomGraph::of_few_bits})
    expect_random_graphs(make, test::long_form() ? 100 : 4, kinds, In::slices, true,
                         ir::Family::series7);
  for (const char* kind : {"convolution", "requantise"}) EXPECT_TRUE(kinds.contains(kind)) << kind;
}

// Detection heads: maps of different shapes and formats, one of which others read as well, and one
// that is the input.
TEST(PipelineNetworks, SeveralOutputsLeaveMapBehindMap) {
  int seen = 0;
  const std::uint64_t seed = test::rotating_seed();
  for (std::uint64_t i = 0; seen < (test::long_form() ? 60 : 6); ++i) {
    Graph g = RandomGraph(seed * 1000 + i).made();
    for (TensorId id = 0; id < g.tensors.size() && g.outputs.size() < 4; ++id)
      if (g.tensors[id].shape.size() == 3 && (id * 7 + i) % 3 == 0) g.outputs.push_back(id);
    if (g.outputs.size() < 2) continue;
    SCOPED_TRACE(graph::to_text(g));
    const auto plan = pipeline_of(g, seed * 1000 + i);
    if (!plan) continue;
    ++seen;
    EXPECT_EQ(plan->boxes.back().machine->kind(), "outputs");
    EXPECT_EQ(plan->results().size(), g.outputs.size());
    ASSERT_NO_FATAL_FAILURE(expect_as_defined(g, *plan, i));
    ASSERT_NO_FATAL_FAILURE(expect_pace(g, *plan));
  }
}

struct Pipelines : test::NetworkRig {
  explicit Pipelines(const PipelinePlan& plan)
      : NetworkRig({{"p", "dataflow", {}, std::shared_ptr<const Layer>(make_layer(plan))}}) {}
};

TEST(PipelineNetworks, NetlistAndModelWithResetsInTheMiddle) {
  Pipelines rig(*pipeline_of(some_graph(), 1));
  rig.options.resets = 4;
  rig.run_native(6000);
  rig.run_lanes(300);
}

TEST(PipelineNetworks, NoMoreLevelsThanPromised) {
  const PipelinePlan plan = *pipeline_of(some_graph(), 1);
  const Netlist netlist(plan);
  test::expect_levels(netlist.design(), plan.levels());
}

PipelinePlan watched(PipelinePlan plan) {
  plan.input_last = true;
  plan.counted = Counted::machines;
  return plan;
}

TEST(PipelineNetworks, WatchedNetlistAndModelWithResetsInTheMiddle) {
  const PipelinePlan plan = watched(*pipeline_of(some_graph(), 1));
  Pipelines rig(plan);
  rig.options.resets = 4;
  rig.run_native(6000);
  rig.run_lanes(100);
  const Netlist netlist(plan);
  test::expect_levels(netlist.design(), plan.levels());
}

// Whole frames at the ports of a watched pipeline, whenever chance has it, with wrong marks of
// their ends among the right ones; what a host counts meanwhile.
class Watcher {
 public:
  explicit Watcher(const PipelinePlan& plan)
      : plan_(plan), wired_(*make_layer(plan)), random_(test::rotating_seed()) {}
  void run(std::int64_t frames) {
    const std::int64_t in = frames * plan_.input().beats(), out = frames * plan_.output().beats();
    for (std::int64_t i = 0; i < 500'000 && beats_out_ < out; ++i) clock(beats_in_ < in);
    ASSERT_EQ(beats_out_, out);
  }
  std::uint64_t read(std::int64_t address) {
    wired_.set("s_axi_araddr", static_cast<std::uint64_t>(address));
    wired_.set("s_axi_arvalid", 1);
    do clock(false);
    while (wired_.get("s_axi_arready") == 0);
    wired_.set("s_axi_arvalid", 0);
    wired_.set("s_axi_rready", 1);
    do clock(false);
    while (wired_.get("s_axi_rvalid") == 0);
    wired_.set("s_axi_rready", 0);
    EXPECT_EQ(wired_.get("s_axi_rresp"), 0U);
    return wired_.get("s_axi_rdata");
  }
  void rest(std::int64_t clocks) {
    for (; clocks > 0; --clocks) clock(false);
  }
  std::map<std::string, std::uint64_t> counted;

 private:
  void clock(bool may_offer) {
    if (!offers_ && may_offer && random_.one_in(2)) {
      offers_ = true;
      is_wrong_ = random_.one_in(20);
      wired_.set("in_last", is_end() != is_wrong_);
      wired_.scramble("in_data", random_);
    }
    const bool takes = random_.one_in(2);
    wired_.set("in_valid", offers_);
    wired_.set("out_ready", takes);
    wired_.clock();
    ++counted["clocks"];
    EXPECT_EQ(wired_.get("in_error"), counted["in_errors"] > 0);
    if (wired_.get("out_valid") != 0 && !takes) ++counted["out_waits"];
    if (wired_.get("out_valid") != 0 && takes && ++beats_out_ % plan_.output().beats() == 0)
      ++counted["frames_out"];
    if (!offers_) return;
    if (wired_.get("in_ready") == 0) {
      ++counted["in_waits"];
      return;
    }
    if (is_wrong_) ++counted["in_errors"];
    if (is_end()) ++counted["frames_in"];
    ++beats_in_;
    offers_ = false;
  }
  bool is_end() const { return (beats_in_ + 1) % plan_.input().beats() == 0; }

  const PipelinePlan& plan_;
  test::Wired wired_;
  tests::Random random_;
  std::int64_t beats_in_ = 0, beats_out_ = 0;
  bool offers_ = false, is_wrong_ = false;
};

TEST(PipelineNetworks, RegistersAreWhatAHostCounts) {
  const PipelinePlan plan = watched(*pipeline_of(some_graph(), 1));
  const auto registers = registers_of(plan);
  ASSERT_EQ(registers.size(), 6 + 2 * plan.boxes.size());
  Watcher watcher(plan);
  constexpr std::int64_t frames = 5;
  ASSERT_NO_FATAL_FAILURE(watcher.run(frames));
  EXPECT_GT(watcher.counted["in_errors"], 0U);
  watcher.rest(counters_of(plan)->oldest());
  for (const HostRegister& r : registers) {
    const auto value = watcher.read(r.offset);
    if (r.name == "clocks") {
      const auto now = watcher.counted["clocks"];
      EXPECT_LT(value, now);
      EXPECT_GE(value + static_cast<std::uint64_t>(counters_of(plan)->oldest()) + 2, now);
    } else if (watcher.counted.contains(r.name)) {
      EXPECT_EQ(value, watcher.counted[r.name]) << r.name;
    }
  }
  // Everything that has come in has gone through every machine; sums of windows that see nothing
  // but the border of the next frame may be ahead of it.
  for (std::size_t b = 0; b < plan.boxes.size(); ++b) {
    const auto beats = static_cast<std::uint64_t>(plan.boxes[b].machine->output().beats());
    const std::uint64_t given = watcher.read(registers[6 + 2 * b].offset);
    EXPECT_GE(given, std::uint64_t{frames} * beats) << plan.boxes[b].name;
    EXPECT_LT(given, (frames + 1) * beats) << plan.boxes[b].name;
  }
  EXPECT_EQ(watcher.read(registers[registers.size() - 2].offset),
            static_cast<std::uint64_t>(frames * plan.output().beats()));
  // The last one stalls when the output does.
  EXPECT_EQ(watcher.read(registers.back().offset), watcher.counted["out_waits"]);
  EXPECT_EQ(registers.back().name, plan.boxes.back().name + "_stalls");
}

TEST(PipelineNetworks, MoreClocksNeverTakeMoreSlices) {
  const auto g = std::make_shared<const Graph>(streamed(some_graph()));
  const Foldings foldings(g, {});
  std::set<std::int64_t> slices;
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t clocks : foldings.paces()) try {
      const PipelinePlan plan = lowered(foldings, clocks);
      EXPECT_LE(plan.interval(), clocks);
      EXPECT_LE(plan.slices(), before) << clocks;
      slices.insert(before = plan.slices());
    } catch (const TooSlow& e) {
      EXPECT_TRUE(slices.empty()) << "at " << clocks << ", but not before: " << e.what();
    }
  EXPECT_GT(slices.size(), 2U);
}

// Worked out by hand: 4 numbers a frame in 1 lane, 3 outputs of 4 products each.
TEST(PipelineNetworks, ThePaceThatAnInputAlonePermits) {
  Graph g{.name = "small",
          .tensors = {{"x", {4, 1, 1}, {8, false}, 0, 1}, {"y", {3, 1, 1}, {32, true}, 0, 1}}};
  g.nodes.push_back({"dense",
                     graph::Conv{.weights = {1, 2, 3, 4, -1, -2, -3, -4, 127, -128, 0, 1},
                                 .bias = {5, 0, -7},
                                 .scales = {1}},
                     {0},
                     1});
  g.input = 0;
  g.outputs = {1};
  const auto plan = pipeline_of(g, ~std::uint64_t{0});
  ASSERT_TRUE(plan);
  const Netlist netlist(*plan);
  backends::NativeLanes lanes(netlist.design());
  std::vector<Host> one;
  const std::vector<std::int32_t> image{1, 10, 100, 255};
  one.emplace_back(*plan, image);
  play(one, *plan, lanes, {.patience = 10'000});
  EXPECT_THAT(one[0].results()[0], ::testing::ElementsAre(1346, -1341, -905));
}

// Worked out by hand: two channels of 5x5 come in 50 clocks in one lane, but two windows of 3 end
// with every line and column of the map, which is 6x6 positions, 72 clocks in one lane. So they are
// looked at in two lanes.
TEST(PipelineNetworks, WindowsPastTheMapGetTheLanesThatKeepThePace) {
  Graph g{.name = "past",
          .tensors = {{"x", {2, 5, 5}, {8, true}, -3, 1},
                      {"p", {2, 5, 5}, {8, true}, -3, 1},
                      {"y", {1, 5, 5}, {32, true}, 0, 1}}};
  const graph::Window past{.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}};
  g.nodes.push_back({"pool", graph::MaxPool{past}, {0}, 1});
  g.nodes.push_back({"mix", graph::Conv{.weights = {5, -7}, .bias = {11}, .scales = {1}}, {1}, 2});
  g.input = 0;
  g.outputs = {2};
  graph::require_legal(g);
  const auto shared = std::make_shared<const Graph>(g);
  const Foldings foldings(std::make_shared<const Graph>(streamed(g)), {});
  for (const auto& [clocks, lanes] : {std::pair(36, 2), {50, 2}, {71, 2}, {72, 1}}) {
    PipelinePlan plan = with_queues(lowered(foldings, clocks));
    plan.graph = shared;
    EXPECT_LE(plan.interval(), clocks);
    const auto pool = std::ranges::find(plan.boxes, "pool", &Box::name);
    ASSERT_NE(pool, plan.boxes.end());
    EXPECT_EQ(pool->machine->inputs()[0].lanes, lanes) << clocks;
    expect_as_defined(g, plan, static_cast<std::uint64_t>(clocks));
  }
  EXPECT_THROW(lowered(foldings, 35), TooSlow);
}

// Sums that are numbers as they are come in the few bits that they have, whatever their tensor has.
// A result of more than 16 bits has no machine, and nobody waits for a table of all pairs.
TEST(PipelineNetworks, SumsAreAddedInTheBitsThatTheyHave) {
  Graph g{.name = "sums",
          .tensors = {{"x", {2, 3, 3}, {4, true}, 0, 1},
                      {"a", {2, 3, 3}, {32, true}, 0, 1},
                      {"b", {2, 3, 3}, {32, true}, 0, 1},
                      {"y", {2, 3, 3}, {8, true}, 0, 1}}};
  const auto conv = [&](const char* name, std::vector<std::int16_t> weights, TensorId to) {
    g.nodes.push_back(
        {name, graph::Conv{.weights = std::move(weights), .bias = {0, 0}, .scales = {1}}, {0}, to});
  };
  conv("ca", {1, -1, 1, 1}, 1);
  conv("cb", {2, 1, -1, 1}, 2);
  g.nodes.push_back({"sum", graph::Add{}, {1, 2}, 3});
  g.input = 0;
  g.outputs = {3};
  graph::require_legal(g);
  for (const std::uint64_t seed : {0, 1}) {
    const auto plan = pipeline_of(g, seed);
    ASSERT_TRUE(plan);
    expect_as_defined(g, *plan, seed);
  }
  g.tensors[3].format = {32, true};
  try {
    (void)lowered(Foldings(std::make_shared<const Graph>(streamed(g)), {}), 18);
    ADD_FAILURE() << "a result of 32 bits";
  } catch (const DesignError& e) {
    EXPECT_EQ(e.code(), code::no_machine);
    EXPECT_THAT(e.what(), ::testing::HasSubstr("must have at most 16 bits"));
  }
}

}  // namespace kumiki::gen::pipeline::network_test
