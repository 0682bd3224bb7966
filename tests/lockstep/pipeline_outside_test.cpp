// SPDX-License-Identifier: Apache-2.0
// Weights from a memory outside: convolutions whose weights come for every pass of the map, and
// whole pipelines that read them through AXI4 while the memory answers as chance has it.
#include <gmock/gmock.h>

#include "gen/layers/pipeline/layer.h"
#include "gen/layers/pipeline/machines/requantise_offset.h"
#include "gen/operators/conv/convolution.h"
#include "gen/operators/thresholds/machine.h"
#include "tests/lockstep/convolutions.h"
#include "tests/support/levels.h"
#include "tests/support/long_form.h"
#include "tests/support/machine_layer.h"
#include "tests/support/network_rig.h"
#include "tests/support/pipeline_runs.h"
#include "tests/support/wired.h"

namespace kumiki::gen::pipeline::outside_test {

using convolution_test::Case;
using graph::Graph;
using test::Numbers;

constexpr std::int64_t word_bits = 32;

// The folding with so many rows and the fewest columns, or the one with the most.
ConvolutionPlan outside_plan(const Case& c) {
  const Graph g = convolution_test::graph_of(c);
  const ColumnsOf made{.word_bits = word_bits};
  std::vector<Fold> folds;
  for (const ConvolutionFolding& f : foldings_of(g, g.nodes[0], made))
    if (f.fold.rows == c.rows) folds.push_back(f.fold);
  if (folds.empty()) throw std::logic_error("no folding has so many rows");
  return convolution(g, g.nodes[0], c.columns == 1 ? folds.front() : folds.back(), made);
}

Numbers weights_of(const graph::Node& node, const ConvolutionPlan& plan) {
  const Stream stream = plan.weights();
  std::vector<std::vector<std::uint64_t>> beats;
  for (const std::int64_t weight : weights_in_order(node, plan)) {
    if (beats.empty() || std::ssize(beats.back()) == stream.lanes) beats.emplace_back();
    beats.back().push_back(arith::raw_of(weight, stream.format.bits));
  }
  return numbers_of(stream, beats);
}

// [channel][row][column] of a map with `rows` times the rows.
Numbers several_times(const Numbers& map, std::size_t channels, std::int64_t times) {
  const std::size_t size = map.size() / channels;
  Numbers all;
  for (std::size_t c = 0; c < channels; ++c)
    for (std::int64_t t = 0; t < times; ++t)
      all.insert(all.end(), map.begin() + static_cast<std::ptrdiff_t>(c * size),
                 map.begin() + static_cast<std::ptrdiff_t>((c + 1) * size));
  return all;
}

// Frames of sums of the plan, pass below pass, by the interpreter.
Numbers sums_of(const Graph& g, const ConvolutionPlan& plan, const Numbers& image) {
  const auto lacking = channels_of(g, g.nodes[0]);
  graph::Interpreter::Memory memory;
  graph::Interpreter(g).run(image, memory);
  const auto pixels = memory[1].size() / lacking.size();
  const std::size_t tile = static_cast<std::size_t>(plan.output().channels);
  Numbers all;
  for (std::size_t lane = 0; lane < tile; ++lane)
    for (std::size_t pass = 0; pass < static_cast<std::size_t>(plan.passes); ++pass)
      for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        const std::size_t c = pass * tile + lane;
        all.push_back(c < lacking.size() ? memory[1][c * pixels + pixel] -
                                               static_cast<std::int32_t>(lacking[c].bias)
                                         : 0);
      }
  return all;
}

void expect_sums(const Case& c) {
  SCOPED_TRACE(convolution_test::name(c));
  const Graph g = convolution_test::graph_of(c);
  const ConvolutionPlan plan = outside_plan(c);
  const auto made = machine(plan);
  std::vector<std::vector<Numbers>> frames(2);
  std::vector<Numbers> wanted;
  for (std::uint64_t f = 1; f <= 4; ++f) {
    const Numbers image = convolution_test::image_of(c, f);
    frames[0].push_back(several_times(image, static_cast<std::size_t>(c.in[0]), plan.passes));
    frames[1].push_back(weights_of(g.nodes[0], plan));
    wanted.push_back(sums_of(g, plan, image));
  }
  test::FrameRig(made).expect_frames(frames, wanted);
}

std::vector<Case> cases() {
  return {
      // One pass; several; the last one with channels that are not there.
      {.in = {3, 4, 4},
       .out = 4,
       .window = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}},
       .zero_point = 5,
       .rows = 2,
       .columns = 2},
      {.in = {3, 3, 4}, .out = 7, .window = {.kernel = {2, 2}}, .rows = 3, .columns = 2},
      {.in = {6, 3, 2}, .out = 8, .zero_point = -7, .rows = 2, .columns = 1},
      // Two rows in a memory, and one that is left.
      {.in = {40, 3, 3},
       .out = 5,
       .window = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}},
       .rows = 3,
       .columns = 1},
      {.in = {40, 2, 2}, .out = 4, .window = {.kernel = {2, 2}}, .rows = 2, .columns = 1},
      // Loading takes longer than computing; a single pixel; sets of three clocks.
      {.in = {24, 1, 1}, .out = 10, .numbers = {8, false}, .rows = 8, .columns = 2},
      {.in = {3, 1, 1}, .out = 4, .rows = 1, .columns = 1},
      // About as long.
      {.in = {9, 2, 2}, .out = 4, .rows = 3, .columns = 1},
      {.in = {9, 3, 1}, .out = 4, .rows = 3, .columns = 1},
      {.in = {8, 3, 1}, .out = 4, .rows = 2, .columns = 1},
      {.in = {16, 2, 2}, .out = 4, .rows = 4, .columns = 1},
      {.in = {4, 5, 3},
       .out = 6,
       .window = {.kernel = {3, 3}, .stride = {2, 2}, .before = {1, 1}, .after = {1, 1}},
       .numbers = {4, false},
       .weight_bits = 4,
       .rows = 4,
       .columns = 2},
      {.in = {2, 4, 5},
       .out = 4,
       .window = {.kernel = {2, 3}, .dilation = {2, 1}, .before = {0, 1}, .after = {1, 2}},
       .zero_point = 3,
       .weight_bits = 2,
       .rows = 1,
       .columns = 2},
  };
}

TEST(PipelineOutside, ConvolutionsWhoseWeightsCome) {
  for (const Case& c : cases()) expect_sums(c);
}

// The machine is built for the sums of its own weights, so random ones are 0 and 1.
class WithSmallWeights : public test::MachineLayer {
 public:
  explicit WithSmallWeights(const std::shared_ptr<const Machine>& machine)
      : MachineLayer(machine), shape_(machine->input_shape()), maps_(machine->inputs()[0].lanes) {}
  void constrain(ir::Frame& frame) const override {
    MachineIn<Values> in{};
    unpack(shape_, frame, in);
    for (auto weight = in.in_data.begin() + maps_; weight != in.in_data.end(); ++weight)
      *weight &= 1;
    pack(shape_, in, frame);
  }

 private:
  MachineIn<Hardware> shape_;
  std::int64_t maps_;
};

struct Rig : test::NetworkRig {
  explicit Rig(const std::vector<std::shared_ptr<const Machine>>& machines)
      : NetworkRig(test::layers_of("machine", machines, [](const auto& m) {
          return std::make_shared<WithSmallWeights>(m);
        })) {}
};

TEST(PipelineOutside, ConvolutionsWithResetsInTheMiddle) {
  convolution_test::Machines all;
  for (const Case& c : cases()) all.push_back(machine(outside_plan(c)));
  Rig rig(all);
  rig.options.resets = 3;
  rig.run_native(3000);
}

TEST(PipelineOutside, WrongCellsAreSeen) {
  Rig rig({machine(outside_plan(cases()[1]))});
  rig.expect_mutants_seen(20, 900, 1000, true);
}

TEST(PipelineOutside, FoldingsAreWhatTheirPlansAre) {
  const Graph g =
      convolution_test::graph_of({.in = {12, 6, 6},
                                  .out = 24,
                                  .window = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}}});
  const ColumnsOf made{.word_bits = 128};
  const auto all = foldings_of(g, g.nodes[0], made);
  EXPECT_GT(all.size(), 10u);
  for (const ConvolutionFolding& f : all) {
    const ConvolutionPlan p = convolution(g, g.nodes[0], f.fold, made);
    EXPECT_EQ(p.output().lanes, f.lanes);
    EXPECT_EQ(p.slices(), f.slices);
    EXPECT_GE(p.schedule().interval(), f.interval);
  }
}

TEST(PipelineOutside, WhatIsNotPossibleSaysSo) {
  const Graph groups = convolution_test::graph_of({.in = {4, 3, 3}, .out = 4, .groups = 2});
  EXPECT_EQ(why_not_outside(groups, groups.nodes[0]), "it has 2 groups; it must have 1");
  const Graph few = convolution_test::graph_of({.in = {2, 3, 3}, .out = 4});
  EXPECT_EQ(why_not_outside(few, few.nodes[0]),
            "its sums have 2 products; they must have at least 3");
}

TEST(PipelineOutside, RandomGraphsReadTheirWeights) {
  std::set<std::string> kinds;
  // The pace depends on the memory, too.
  runs::expect_random_graphs(&test::RandomGraph::made, test::long_form() ? 60 : 4, kinds,
                             runs::In::outside, false);
  for (const char* kind : {"convolution", "requantise", "reorder"})
    EXPECT_TRUE(kinds.contains(kind)) << kind;
}

// A convolution, and one of 1x1 that reads it.
Graph two_layers(Case first, int outs) {
  Graph g = convolution_test::graph_of(first);
  std::get<graph::Conv>(g.nodes[0].op).scales.assign(static_cast<std::size_t>(first.out), 0x1p-9F);
  g.tensors[1].format = {8, false};
  const graph::Shape& map = g.tensors[1].shape;
  auto next =
      std::get<graph::Conv>(convolution_test::graph_of({.in = map, .out = outs}).nodes[0].op);
  next.scales.assign(static_cast<std::size_t>(outs), 0x1p-8F);
  g.tensors.push_back({"z", {outs, map[1], map[2]}, {8, true}});
  g.nodes.push_back({"next", next, {1}, 2});
  g.outputs = {2};
  return g;
}

// How many maps the memory of each order holds.
std::vector<int> maps_held(const PipelinePlan& plan) {
  std::vector<int> held;
  for (const Box& b : plan.boxes)
    if (const auto* m = dynamic_cast<const MachineOf<ReorderPlan>*>(b.machine.get()))
      held.push_back(m->plan().held);
  return held;
}

// Two layers of several passes, whose weights the memory gives in time.
TEST(PipelineOutside, FramesFollowAsPlanned) {
  const Graph g = two_layers({.in = {8, 6, 6},
                              .out = 16,
                              .window = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}},
                              .numbers = {8, false}},
                             8);
  const auto shared = std::make_shared<const Graph>(g);
  const Foldings foldings(shared, {}, {.outside = {0, 1}});
  PipelinePlan plan = with_queues(lowered(foldings, 3000));
  plan.graph = shared;
  EXPECT_EQ(plan.weights.size(), 2u);
  EXPECT_GT(std::ranges::count_if(plan.boxes,
                                  [](const Box& b) { return b.machine->kind() == "reorder"; }),
            2);
  // The second layer takes maps at once, so the memory behind the first one holds a single map.
  EXPECT_EQ(maps_held(plan), (std::vector<int>{2, 1, 2, 2}));
  ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, plan, 1));
  runs::expect_pace(g, plan);
}

// A memory in LUTs holds two of them, without a queue in front.
TEST(PipelineOutside, SmallMapsAreHeldTwice) {
  const Graph g = two_layers({.in = {8, 1, 2},
                              .out = 16,
                              .window = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}},
                              .numbers = {8, false}},
                             8);
  const auto shared = std::make_shared<const Graph>(g);
  const Foldings foldings(shared, {}, {.outside = {0, 1}});
  PipelinePlan plan = with_queues(lowered(foldings, 3000));
  plan.graph = shared;
  EXPECT_EQ(maps_held(plan), (std::vector<int>{2, 2, 2, 2}));
  ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, plan, 1));
  runs::expect_pace(g, plan);
}

// Behind a sum that branches, the queue of a branch has room for a map, too.
TEST(PipelineOutside, FramesFollowAsPlannedBehindBranches) {
  Graph g = two_layers({.in = {8, 6, 6},
                        .out = 16,
                        .window = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}},
                        .numbers = {8, false}},
                       16);
  const auto tensor = [&](int channels) {
    g.tensors.push_back({fmt::format("t{}", g.tensors.size()), {channels, 6, 6}, {8, true}});
    return g.tensors.size() - 1;
  };
  const auto convolution = [&](std::size_t from, int channels) {
    auto op = std::get<graph::Conv>(
        convolution_test::graph_of({.in = g.tensors[from].shape, .out = channels}).nodes[0].op);
    op.scales.assign(static_cast<std::size_t>(channels), 0x1p-8F);
    const std::size_t to = tensor(channels);
    g.nodes.push_back({fmt::format("conv{}", to), op, {from}, to});
    return to;
  };
  const std::size_t sum = tensor(16);
  g.nodes.push_back({"sum", graph::Add{}, {1, 2}, sum});
  const std::size_t outside = convolution(sum, 8), inside = convolution(sum, 8), both = tensor(8);
  g.nodes.push_back({"both", graph::Add{}, {outside, inside}, both});
  g.outputs = {both};
  const auto shared = std::make_shared<const Graph>(g);
  const Foldings foldings(shared, {}, {.outside = {0, 1, 3}});
  PipelinePlan plan = with_queues(lowered(foldings, 3000));
  plan.graph = shared;
  // The results of the last layer go to a host, who may take them slowly.
  EXPECT_EQ(maps_held(plan), (std::vector<int>{2, 1, 2, 1, 2, 2}));
  ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, plan, 1));
  runs::expect_pace(g, plan);
}

// Thresholds by channel behind the sums of all passes; sums that are numbers but for a bias. The
// last pass has fewer channels.
TEST(PipelineOutside, StepsAndSumsThatAreNumbers) {
  Graph g =
      convolution_test::graph_of({.in = {6, 5, 4},
                                  .out = 11,
                                  .window = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}}});
  graph::Thresholds steps{.lowest = 0, .levels = 3, .begins = {}, .falling = {}};
  for (int c = 0; c < 11; ++c) {
    for (const int begin : {-900, 100, 1500}) steps.begins.push_back(begin + 70 * c);
    steps.falling.push_back(c % 3 == 1);
  }
  g.tensors.push_back({"t", g.tensors[1].shape, {2, false}});
  g.nodes.push_back({"steps", steps, {1}, 2});
  const Case last{.in = g.tensors[2].shape, .out = 7, .numbers = {2, false}};
  const Graph dense = convolution_test::graph_of(last);
  g.tensors.push_back({"z", dense.tensors[1].shape, {32, true}});
  g.nodes.push_back({"last", dense.nodes[0].op, {2}, 3});
  g.outputs = {3};
  const auto shared = std::make_shared<const Graph>(g);
  const Foldings foldings(shared, {}, {.outside = {0, 2}});
  std::set<std::int64_t> passes;
  for (const std::int64_t clocks : {900, 4000}) {
    PipelinePlan plan = with_queues(lowered(foldings, clocks));
    plan.graph = shared;
    for (const Box& b : plan.boxes) {
      if (const auto* m = dynamic_cast<const MachineOf<ThresholdsPlan>*>(b.machine.get()))
        passes.insert(m->plan().passes.count);
      if (const auto* m = dynamic_cast<const MachineOf<OffsetPlan>*>(b.machine.get()))
        passes.insert(m->plan().passes.count);
    }
    ASSERT_NO_FATAL_FAILURE(runs::expect_as_defined(g, plan, 1));
    runs::expect_pace(g, plan);
  }
  EXPECT_THAT(passes, ::testing::ElementsAre(::testing::Gt(1), ::testing::Gt(1)));
}

// One word of the memory comes in a clock, for all layers together.
TEST(PipelineOutside, APaceThatTheMemoryCannotKeepIsRefused) {
  const Stream word{.channels = 16, .lanes = 16, .format = {8, true}};
  Stream many = word, few = word, odd = word;
  many.width = 48;
  few.width = 6;
  odd.width = 5;
  const WeightReaderPlan reader = weight_reader(128, {many, few});
  EXPECT_EQ(reader.channels[0].burst(), 16);
  EXPECT_EQ(reader.channels[1].burst(), 2);
  EXPECT_EQ(reader.interval(), 48 + 6);
  EXPECT_EQ(weight_reader(128, {odd}).interval(), 4 * 5) << "a burst in four clocks";
  EXPECT_EQ(weight_reader(128, {odd, odd, few}).interval(), 3 * 4 * 5) << "in turn";

  // Each of two dense layers keeps 96 clocks with words of four weights; together they read 128.
  const auto g = std::make_shared<const Graph>(
      two_layers({.in = {24, 1, 1}, .out = 16, .numbers = {8, false}}, 8));
  const Foldings foldings(g, {}, {.outside = {0, 1}, .word_bits = 32});
  std::set<std::string> who;
  for (std::int64_t clocks = 1;;) try {
      const PipelinePlan plan = lowered(foldings, clocks);
      EXPECT_EQ(weight_reader_of(plan)->interval(), 24 * 16 / 4 + 16 * 8 / 4);
      EXPECT_EQ(plan.interval(), 128);
      EXPECT_EQ(clocks, 128);
      break;
    } catch (const TooSlow& e) {
      who.insert(e.name);
      EXPECT_GT(e.interval, clocks);
      clocks = e.interval;
    }
  EXPECT_TRUE(who.contains("the memory outside"));
}

PipelinePlan some_plan() {
  for (std::uint64_t seed = 1;; ++seed) {
    const Graph g = test::RandomGraph(seed).made();
    if (g.outputs.size() != 1) continue;
    if (auto plan = runs::pipeline_of(g, seed, runs::In::outside); plan && plan->weights.size() > 2)
      return *std::move(plan);
  }
}

struct Pipelines : test::NetworkRig {
  explicit Pipelines(const PipelinePlan& plan)
      : NetworkRig({{"p", "dataflow", {}, std::shared_ptr<const Layer>(make_layer(plan))}}) {}
};

// Whatever the memory does, even against the rules of AXI4.
TEST(PipelineOutside, NetlistAndModelWithResetsInTheMiddle) {
  const PipelinePlan plan = some_plan();
  Pipelines rig(plan);
  rig.options.resets = 4;
  rig.run_native(6000);
  rig.run_lanes(200);
  test::expect_levels(rig.design(), plan.levels());
}

// A pipeline whose memory is the test.
class Bus {
 public:
  explicit Bus(const PipelinePlan& plan) : plan_(plan), wired_(*make_layer(plan)) {
    wired_.set("weights_base", base);
    wired_.set("out_ready", 1);
  }
  static constexpr std::uint64_t base = 0x4000;
  struct Asked {
    std::uint64_t address, words;
  };
  // The next request.
  Asked asked() {
    wired_.set("m_axi_arready", 1);
    for (int clock = 0; clock < 100; ++clock) {
      wired_.clock();
      if (wired_.get("m_axi_arvalid") == 0) continue;
      wired_.set("m_axi_arready", 0);
      return {wired_.get("m_axi_araddr"), wired_.get("m_axi_arlen") + 1};
    }
    ADD_FAILURE() << "nobody asks for weights";
    return {};
  }
  bool asks_within(int clocks) {
    for (; clocks > 0; --clocks) {
      wired_.clock();
      if (wired_.get("m_axi_arvalid") != 0) return true;
    }
    return false;
  }
  void answer(std::uint64_t words, std::uint64_t response) {
    for (; words > 0; --words) {
      wired_.set("m_axi_rvalid", 1);
      wired_.set("m_axi_rresp", response);
      wired_.set("m_axi_rlast", words == 1);
      int clocks = 0;
      do {
        ASSERT_LT(clocks++, 100) << "an answer is not taken";
        wired_.clock();
      } while (wired_.get("m_axi_rready") == 0);
      wired_.set("m_axi_rvalid", 0);
    }
  }
  void reset() {
    wired_.set("rst", 1);
    wired_.clock();
    wired_.set("rst", 0);
  }
  std::uint64_t error() { return wired_.get("weights_error"); }
  void rest(int clocks) {
    for (; clocks > 0; --clocks) wired_.clock();
  }

 private:
  const PipelinePlan& plan_;
  test::Wired wired_;
};

TEST(PipelineOutside, AnErrorStopsTheReaderUntilAReset) {
  const PipelinePlan plan = some_plan();
  for (const std::uint64_t response : {2, 3}) {  // SLVERR, DECERR
    Bus bus(plan);
    const auto first = bus.asked();
    EXPECT_GE(first.address, Bus::base);
    bus.rest(30);
    EXPECT_EQ(bus.error(), 0u);
    bus.answer(1, response);
    bus.rest(3);
    EXPECT_EQ(bus.error(), 1u);
    // What was on its way to the port is still asked for, and nothing else.
    int more = 0;
    while (more < 10 && bus.asks_within(50)) bus.asked(), ++more;
    EXPECT_LE(more, 2);
    bus.reset();
    bus.rest(1);
    EXPECT_EQ(bus.error(), 0u);
  }
}

TEST(PipelineOutside, AResetWaitsForBurstsUnderWay) {
  const PipelinePlan plan = some_plan();
  Bus bus(plan);
  std::vector<Bus::Asked> under_way;
  under_way.push_back(bus.asked());
  under_way.push_back(bus.asked());
  bus.reset();
  // What was on its way to the port is still asked for, and nothing else.
  while (bus.asks_within(50)) under_way.push_back(bus.asked());
  EXPECT_LE(under_way.size(), 4u);
  for (const auto& burst : under_way) ASSERT_NO_FATAL_FAILURE(bus.answer(burst.words, 2));
  bus.rest(5);
  EXPECT_EQ(bus.error(), 0u) << "of bursts that nobody wants any more";
  EXPECT_TRUE(bus.asks_within(50)) << "the pipeline begins again";
}

}  // namespace kumiki::gen::pipeline::outside_test
