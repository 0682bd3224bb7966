// SPDX-License-Identifier: Apache-2.0
// Sums of convolutions as numbers of the next tensor: by onnxruntime's rule in slices and in float
// lanes, with an offset alone, by thresholds. The judge is the interpreter of graphs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/layers/pipeline/machines/requantise.h"
#include "gen/layers/pipeline/machines/requantise_offset.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"
#include "gen/operators/conv/convolution.h"
#include "gen/operators/thresholds/machine.h"
#include "ir/resources.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::requantise_test {

using graph::Graph;
using test::Numbers;
using Machines = std::vector<std::shared_ptr<const Machine>>;

struct Random {
  std::uint64_t state = 1;
  std::int64_t below(std::int64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(n));
  }
  std::int64_t of(const arith::Interval& range) {
    const std::int64_t kind = below(8);
    if (kind == 0) return static_cast<std::int64_t>(range.lo);
    if (kind == 1) return static_cast<std::int64_t>(range.hi);
    return static_cast<std::int64_t>(range.lo) + below(static_cast<std::int64_t>(range.span()) + 1);
  }
};

struct Case {
  int channels = 1, out = 1, size = 3, padding = 0;
  arith::Format in{8, true};
  int in_zero = 0;
  arith::Format result{8, true};
  int zero = 0;
  std::vector<float> scales{0.01F};
  std::int64_t lanes = 1;
  int bias = 1000;  // at most
};

Graph conv_graph(const Case& c) {
  Random random;
  const int kernel = c.size > 1 ? 2 : 1;
  graph::Conv conv{
      .window = {.kernel = {kernel, kernel}, .before = {c.padding, 0}, .after = {0, c.padding}},
      .scales = c.scales};
  for (int i = 0; i < c.out * c.channels * kernel * kernel; ++i)
    conv.weights.push_back(static_cast<std::int16_t>(random.of({-127, 127})));
  for (int i = 0; i < c.out; ++i)
    conv.bias.push_back(static_cast<std::int32_t>(random.of({-c.bias, c.bias})));
  const graph::Shape shape{c.channels, c.size, c.size};
  const graph::Shape out{c.out, conv.window.positions(0, c.size), conv.window.positions(1, c.size)};
  return {.name = "one",
          .tensors = {{"x", shape, c.in, c.in_zero}, {"y", out, c.result, c.zero}},
          .nodes = {{"conv", conv, {0}, 1}},
          .input = 0,
          .outputs = {1}};
}

// A convolution that leaves its sums, and thresholds of them.
Graph threshold_graph(const Case& c, int levels, int lowest, bool shared, int falling) {
  Case sums = c;
  sums.scales = {1};
  sums.result = {24, true};
  Graph g = conv_graph(sums);
  Random random{5};
  const auto reach = reachable_of(g, g.nodes[0]);
  graph::Thresholds t{.lowest = lowest, .levels = levels};
  for (int channel = 0; channel < (shared ? 1 : c.out); ++channel) {
    std::vector<std::int64_t> begins;
    // Some are beyond what is reached.
    const arith::Interval range{reach[static_cast<std::size_t>(channel)].lo - 3,
                                reach[static_cast<std::size_t>(channel)].hi + 3};
    for (int i = 0; i < levels; ++i) begins.push_back(random.of(range));
    std::ranges::sort(begins);
    for (const auto b : begins) t.begins.push_back(static_cast<std::int32_t>(b));
  }
  if (falling > 0)
    for (int channel = 0; channel < c.out; ++channel)
      t.falling.push_back(falling > 1 || channel % 2 == 0 ? 1 : 0);
  g.tensors.push_back({"z", g.tensors[1].shape, c.result, c.zero});
  g.nodes.push_back({"steps", t, {1}, 2});
  g.outputs = {2};
  return g;
}

std::vector<Case> cases() {
  return {
      // Ties: a scale of a half; zero points of both; signed and unsigned numbers.
      {.channels = 2, .out = 5, .in_zero = -3, .zero = 5, .scales = {0.5F}, .lanes = 2, .bias = 4},
      {.channels = 3,
       .out = 4,
       .padding = 1,
       .in = {8, false},
       .in_zero = 128,
       .result = {8, false},
       .zero = 7,
       .scales = {0.0031F},
       .lanes = 4},
      {.channels = 1,
       .out = 7,
       .padding = 1,
       .in = {4, false},
       .in_zero = 3,
       .zero = -128,
       .scales = {0.01F, 0.02F, 0.5F, 1.0F, 0.003F, 0.25F, 0.0711F},
       .lanes = 3},
      {.channels = 4,
       .out = 3,
       .in_zero = 17,
       .result = {8, false},
       .scales = {0.001F, 0.0123F, 2},
       .lanes = 3},
      // More lanes than channels; one channel, one pixel; few bits; 16 bits.
      {.channels = 2, .out = 3, .scales = {0.007F}, .lanes = 4},
      {.size = 1, .scales = {0.03F}},
      {.channels = 2, .out = 4, .result = {2, false}, .scales = {0.0007F}, .lanes = 1},
      {.channels = 2, .out = 2, .in = {16, true}, .in_zero = 100, .scales = {0.00001F}, .lanes = 2},
      // Sums so long that the bias is more than all of them.
      {.channels = 2, .out = 3, .in_zero = 1, .scales = {0.0000013F}, .lanes = 3, .bias = 90000000},
      // Many channels a lane.
      {.channels = 1, .out = 67, .size = 1, .zero = 1, .scales = {0.013F}, .lanes = 1},
  };
}

// Scales that no factor of 26 bits is equal to.
std::vector<Case> float_cases() {
  return {{.channels = 40,
           .out = 3,
           .in_zero = 9,
           .zero = -4,
           .scales = {0.000100001F, 0.3333333F, 0.0001F},
           .lanes = 2,
           .bias = 20000000},
          {.channels = 33,
           .out = 2,
           .padding = 1,
           .in = {8, false},
           .in_zero = 77,
           .result = {8, false},
           .scales = {0.0000456789F},
           .lanes = 2,
           .bias = 8000000}};
}

ConvolutionPlan convolution_of(const Graph& g) { return convolution(g, g.nodes[0], {1, 1}); }

Stream sums_stream(const Graph& g, std::int64_t lanes) {
  Stream stream = convolution_of(g).output();
  stream.lanes = lanes;
  return stream;
}

// What a convolution's model makes of images.
std::vector<Numbers> sums_of(const Graph& g, int frames, std::vector<Numbers>& wanted) {
  const graph::Interpreter judge(g);
  Random random{99};
  std::vector<Numbers> images;
  for (int f = 0; f < frames; ++f) {
    Numbers image(graph::count(g.tensors[0].shape));
    for (auto& n : image) n = static_cast<std::int32_t>(random.of(g.tensors[0].format.range()));
    graph::Interpreter::Memory memory;
    judge.run(image, memory);
    wanted.push_back(memory[g.outputs[0]]);
    images.push_back(std::move(image));
  }
  return test::FrameRig(machine(convolution_of(g))).model({images}).frames;
}

// The numbers of the graph come out of the model and of the netlist, and frames follow as planned.
void expect_numbers(const Graph& g, std::int64_t lanes,
                    const std::function<std::shared_ptr<const Machine>(const Stream&)>& make,
                    const std::string& name, ir::Family family = ir::Family::ultrascale_plus) {
  constexpr int frames = 3;
  SCOPED_TRACE(name);
  std::vector<Numbers> wanted;
  const auto sums = sums_of(g, frames, wanted);
  test::FrameRig(make(sums_stream(g, lanes)), family).expect_frames({sums}, wanted);
}

std::shared_ptr<const Machine> requantiser_of(const Graph& g, const Stream& sums,
                                              ir::Family family = ir::Family::ultrascale_plus) {
  return machine(requantise(g, g.nodes[0], sums, packing::Limits::of(family)));
}

TEST(PipelineRequantise, NumbersOfTheGraph) {
  for (const auto& list : {cases(), float_cases()})
    for (const Case& c : list) {
      const Graph g = conv_graph(c);
      for (const auto family : {ir::Family::ultrascale_plus, ir::Family::series7})
        expect_numbers(
            g, c.lanes, [&](const Stream& s) { return requantiser_of(g, s, family); },
            fmt::format("{} channels by {} ", c.out, fmt::join(c.scales, ", ")), family);
    }
}

TEST(PipelineRequantise, TheCheapestLaneThatIsEqual) {
  std::set<requant::Machine> machines;
  for (const auto& list : {cases(), float_cases()})
    for (const Case& c : list) {
      const Graph g = conv_graph(c);
      for (const auto& lane : requantise(g, g.nodes[0], sums_stream(g, c.lanes), {}).lanes)
        machines.insert(lane.machine);
    }
  EXPECT_EQ(machines, (std::set{requant::Machine::one_slice, requant::Machine::two_slices,
                                requant::Machine::float_lane}));
}

TEST(PipelineRequantise, SumsThatStaySums) {
  for (const int out : {1, 5})
    for (const std::int64_t lanes : {1, 2, 7}) {
      const Graph g = conv_graph({.channels = 3,
                                  .out = out,
                                  .padding = 1,
                                  .in = {8, out == 1},
                                  .in_zero = 9,
                                  .result = {24, true},
                                  .zero = 100,
                                  .scales = {1},
                                  .bias = 40000});
      const auto offsets = offsets_of(g, g.nodes[0]);
      ASSERT_TRUE(offsets);
      expect_numbers(
          g, lanes,
          [&](const Stream& s) {
            return machine(OffsetPlan{.sums = s, .offsets = *offsets, .numbers = {24, true}});
          },
          fmt::format("{} in {} lanes ", out, lanes));
    }
  const Graph g = conv_graph(cases()[1]);
  EXPECT_FALSE(offsets_of(g, g.nodes[0]));
}

struct Steps {
  int levels = 1, lowest = 0, out = 1, falling = 0;
  std::int64_t lanes = 1;
  bool shared = false;
  arith::Format result{8, true};
};

std::vector<Steps> steps() {
  std::vector<Steps> all;
  int turn = 0;
  for (const int levels : {1, 2, 3, 6, 15, 40})
    for (const int falling : {0, 1, 2}) {
      ++turn;
      all.push_back({.levels = levels,
                     .lowest = turn % 3 * 5 - 7,
                     .out = 1 + turn * 5 % 7,
                     .falling = falling,
                     .lanes = 1 + turn % 3,
                     .shared = turn % 4 == 0});
    }
  all.push_back({.levels = 3, .out = 40, .falling = 1, .result = {2, false}});
  return all;
}

std::shared_ptr<const Machine> thresholds_of(const Graph& g, const Stream& s) {
  return machine(thresholds(g, g.nodes[1], s, *offsets_of(g, g.nodes[0])));
}

Graph graph_of(const Steps& t) {
  return threshold_graph({.channels = 2,
                          .out = t.out,
                          .padding = 1,
                          .in = {4, t.out % 2 == 0},
                          .in_zero = 3,
                          .result = t.result},
                         t.levels, t.lowest, t.shared, t.falling);
}

TEST(PipelineThresholds, NumbersOfTheGraph) {
  for (const Steps& t : steps()) {
    const Graph g = graph_of(t);
    expect_numbers(
        g, t.lanes, [&](const Stream& s) { return thresholds_of(g, s); },
        fmt::format("{} levels, {} channels in {} lanes ", t.levels, t.out, t.lanes));
  }
}

Machines all_machines() {
  Machines all;
  for (const auto& list : {cases(), float_cases()})
    for (const Case& c : list) {
      const Graph g = conv_graph(c);
      all.push_back(requantiser_of(g, sums_stream(g, c.lanes)));
    }
  for (const Steps& t : steps()) {
    const Graph g = graph_of(t);
    all.push_back(thresholds_of(g, sums_stream(g, t.lanes)));
  }
  for (const int bits : {8, 20, 31}) {
    const Stream s{.width = 2, .channels = 5, .lanes = 2, .format = {bits, bits == 8}};
    all.push_back(
        machine(OffsetPlan{.sums = s, .offsets = {1, -70, 3, 100, -5}, .numbers = {bits, true}}));
  }
  return all;
}

// A comparison halves what is left: of one level, three, four, all of eight bits.
TEST(PipelineThresholds, AsManyStepsAsTheResultHasBits) {
  for (const auto& [levels, steps] : {std::pair(1, 1), {2, 2}, {3, 2}, {4, 3}, {7, 3}, {255, 8}})
    EXPECT_EQ((ThresholdsPlan{.thresholds = {.levels = levels}}.steps()), steps) << levels;
}

// Random sums, which are mostly beyond what a channel reaches.
TEST(PipelineRequantise, StallsAndResets) {
  test::MachineRig rig(test::this_time(all_machines(), 3));
  rig.run_native(700);
  rig.run_lanes(60);
}

TEST(PipelineRequantise, FewLevels) {
  for (const auto& made : all_machines()) {
    test::MachineRig rig({made});
    test::expect_levels(rig.design(), made->levels(),
                        fmt::format("{} {}", made->kind(), made->text()));
  }
}

TEST(PipelineRequantise, WrongCellsAreSeen) {
  const Graph g = conv_graph(cases()[1]);
  test::MachineRig rig({requantiser_of(g, sums_stream(g, 4))});
  rig.expect_mutants_seen(20);
}

// Of 512 channels with three thresholds between -100 and 100. Their sums have 20 bits; a memory has
// eight of them.
TEST(PipelineThresholds, AMemoryHasTheBitsOfItsThresholds) {
  ThresholdsPlan plan{.in = {.channels = 512, .format = {20, true}},
                      .thresholds = {.lowest = 0, .levels = 3},
                      .numbers = {2, false}};
  for (int channel = 0; channel < 512; ++channel)
    for (const int begin : {-100, channel % 90, 100}) plan.thresholds.begins.push_back(begin);
  std::vector<std::uint64_t> widths;
  Builder builder;
  const ir::Module& module = machine(plan)->build_alone(builder, {});
  for (const ir::Cell& cell : module.cells())
    if (cell.kind == ir::Kind::memory && module.params(cell)[ir::memory::depth] > 64)
      widths.push_back(module.params(cell)[ir::memory::width]);
  EXPECT_EQ(widths, (std::vector<std::uint64_t>{8, 8}));
  test::MachineRig rig({machine(plan)});
  rig.run_native(1500);
}

TEST(PipelineThresholds, WrongCellsAreSeen) {
  // Of few bits, so that random numbers lie next to every begin.
  const ThresholdsPlan plan{.in = {.width = 2, .channels = 4, .lanes = 2, .format = {4, true}},
                            .thresholds = {.lowest = -1,
                                           .levels = 3,
                                           .begins = {-6, -1, 4, -3, 0, 1, -8, 2, 7, -5, -4, 3},
                                           .falling = {0, 1, 1, 0}},
                            .offsets = {1, 0, -1, 2},
                            .numbers = {3, true}};
  test::MachineRig rig({machine(plan)});
  rig.expect_mutants_seen(60);
}

}  // namespace kumiki::gen::pipeline::requantise_test
