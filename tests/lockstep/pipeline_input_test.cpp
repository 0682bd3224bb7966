// SPDX-License-Identifier: Apache-2.0
// Networks with several inputs, whose maps come one after the other in one stream: the machine that
// takes one of them, and whole pipelines.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/text.h"
#include "gen/layers/pipeline/machines/fifo.h"
#include "gen/layers/pipeline/machines/input.h"
#include "ir/resources.h"
#include "tests/support/cache.h"
#include "tests/support/levels.h"
#include "tests/support/long_form.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/pipeline_runs.h"

namespace kumiki::gen::pipeline::input_test {

InputPlan input(std::int64_t before, const Stream& map, std::int64_t behind,
                arith::Format all = {8, false}) {
  const Stream line{.width = before + map.beats() + behind,
                    .channels = map.lanes,
                    .lanes = map.lanes,
                    .format = all};
  return {.all = line, .first = before, .map = map};
}

std::vector<InputPlan> sweep() {
  const Stream one{.format = {8, false}};
  const Stream maps[] = {
      one,
      {.width = 3, .channels = 2, .lanes = 2, .format = {3, true}},
      {.height = 2, .width = 2, .channels = 5, .lanes = 3, .format = {8, true}},
      {.height = 3, .width = 5, .channels = 1, .lanes = 1, .format = {4, false}}};
  std::vector<InputPlan> all;
  for (const Stream& map : maps)
    for (const auto& [before, behind] : {std::pair(0, 1), {1, 0}, {1, 1}, {0, 7}, {7, 0}, {9, 4}})
      all.push_back(input(before, map, behind));
  all.push_back(input(3, maps[2], 2, {8, true}));
  return all;
}

TEST(PipelineInput, FramesAreThoseOfTheMapAndComeInTheirInterval) {
  for (const InputPlan& p : sweep()) {
    SCOPED_TRACE(p.text());
    std::vector<test::Numbers> frames, wanted;
    for (std::uint64_t f = 0; f < 4; ++f) {
      test::Numbers frame = test::random_tensor(p.all, f + 1);
      wanted.push_back(test::random_tensor(p.map, f + 100));
      const auto beats = beats_of(p.map, wanted.back());
      for (std::size_t k = 0; k < beats.size(); ++k)
        for (std::size_t lane = 0; lane < beats[k].size(); ++lane)
          frame[lane * static_cast<std::size_t>(p.all.width) + static_cast<std::size_t>(p.first) +
                k] = static_cast<std::int32_t>(arith::value_of(beats[k][lane], p.all.format));
      frames.push_back(std::move(frame));
    }
    ASSERT_NO_THROW(test::FrameRig(machine(p)).expect_frames({frames}, wanted));
    if (HasFailure()) break;
  }
}

TEST(PipelineInput, LockstepWithStallsAndResets) {
  test::MachineRig rig(test::machines_of(sweep()));
  rig.run_native(2000);
  rig.run_lanes(200);
}

TEST(PipelineInput, OnVerilator) {
  const auto all = sweep();
  test::MachineRig(test::machines_of(std::vector{all[2], all[9], all[16], all[23]}))
      .run_verilated(2000, test::shared_cache);
}

TEST(PipelineInput, WrongCellsAreSeen) {
  const auto all = sweep();
  test::MachineRig(test::machines_of(std::vector{all[8], all[17]}))
      .expect_mutants_seen(30, 600, 1200);
}

TEST(PipelineInput, AtMostThreeLevelsAndFewLuts) {
  for (const std::int64_t before : {0, 1, 3 * 256 * 256}) {
    const InputPlan p = input(
        before, {.height = 256, .width = 256, .channels = 3, .lanes = 3, .format = {8, false}},
        100'000);
    test::MachineRig rig(test::machines_of(std::vector{p}));
    test::expect_levels(rig.design(), p.levels(), p.text());
    EXPECT_LE(ir::count_resources(rig.design()).total.luts, 80U);
  }
}

using graph::Graph;
using graph::TensorId;
using namespace runs;

// A random graph whose node `cut` is another input. A large one would have all numbers where the
// node has few, and a dense layer behind it sums that nothing requantises.
std::optional<Graph> cut(Graph g, std::size_t cut) {
  const TensorId id = g.nodes[cut].output;
  const graph::Tensor& t = g.tensors[id];
  if (t.shape.size() != 3 || t.format.bits > 8 || graph::count(t.shape) > 250) return {};
  g.nodes.erase(g.nodes.begin() + static_cast<std::ptrdiff_t>(cut));
  g.more_inputs.push_back(id);
  graph::require_legal(g);
  return g;
}

std::ptrdiff_t inputs_of(const PipelinePlan& plan) {
  return std::ranges::count_if(plan.boxes,
                               [](const Box& b) { return b.machine->kind() == "input"; });
}

TEST(PipelineInputs, RandomGraphsAreAsDefinedAndKeepTheirPace) {
  int made = 0;
  const std::uint64_t seed = test::rotating_seed();
  for (std::uint64_t i = 0; made < (test::long_form() ? 60 : 6); ++i) {
    const Graph whole = RandomGraph(seed * 1000 + i).made();
    const auto g = cut(whole, i % whole.nodes.size());
    if (!g) continue;
    SCOPED_TRACE(graph::to_text(*g));
    const auto plan = pipeline_of(*g, seed * 1000 + i);
    if (!plan) continue;
    EXPECT_EQ(plan->inputs.size(), 2U);
    // Nobody may read the first one any more.
    if (inputs_of(*plan) < 2) continue;
    ++made;
    ASSERT_NO_FATAL_FAILURE(expect_as_defined(*g, *plan, i));
    ASSERT_NO_FATAL_FAILURE(expect_pace(*g, *plan));
  }
}

// The same layers for two images, and a third map that is read only behind both.
Graph siamese() {
  std::string text =
      "graph pair\ntensor a u8 2x6x6 scale 0x1p-3 zero 9\ntensor b u8 2x6x6 scale 0x1p-3 zero 9\n"
      "tensor c s8 3x4x4 scale 0x1p-2 zero 1\n";
  for (const char* side : {"a", "b"})
    text += fmt::format("tensor m{} u8 3x4x4 scale 0x1p-2 zero 7\n", side);
  text +=
      "tensor s u8 3x4x4 scale 0x1p-2 zero 7\ntensor y s8 3x4x4 scale 0x1p-1 zero -3\n"
      "input a\ninput b\ninput c\noutput y\n";
  for (const char* side : {"a", "b"})
    text += fmt::format(
        "conv c{0} {0} -> m{0} kernel 3x3\n  scales 0x1p-5\n  bias 40 -90 7\n"
        "  weights 3 -2 9 7 5 -8 4 1 2 -3 6 2 8 -7 1 4 5 -9\n"
        "  weights 1 -2 9 7 5 -8 4 1 3 -3 6 2 8 -7 1 4 5 -9\n"
        "  weights 2 -2 9 7 5 -8 4 1 3 -4 6 2 8 -7 1 4 5 -9\n",
        side);
  return graph::parse_graph("pair", text + "add near ma mb -> s\nadd all s c -> y\n");
}

TEST(PipelineInputs, TheFirstMapWaitsForTheOthers) {
  const Graph g = siamese();
  for (const std::uint64_t seed : {0, 3, 5}) {
    const auto plan = pipeline_of(g, seed);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->input().format, (arith::Format{8, false}));
    EXPECT_EQ(plan->input().beats(),
              plan->inputs[0].beats() + plan->inputs[1].beats() + plan->inputs[2].beats());
    std::int64_t room = 0;
    for (const Box& b : plan->boxes) {
      // Beats of others pass by at once.
      if (b.machine->kind() == "input") {
        EXPECT_EQ(b.sources[0], Box::from_outside);
      }
      if (b.name.starts_with("near_queue")) room = std::max(room, b.machine->room());
    }
    EXPECT_GT(room, 4);
    ASSERT_NO_FATAL_FAILURE(expect_as_defined(g, *plan, seed));
    ASSERT_NO_FATAL_FAILURE(expect_pace(g, *plan));
  }
}

// A map that no output depends on passes by.
TEST(PipelineInputs, AnInputThatNobodyReadsIsDropped) {
  const Graph g = graph::parse_graph(
      "g",
      "graph g\ntensor x s8 2x3x3\ntensor z u4 1x2x2\ntensor y s8 2x1x1\ninput z\ninput x\n"
      "output y\nmax_pool p x -> y kernel 3x3\n");
  const auto plan = pipeline_of(g, 0);
  ASSERT_TRUE(plan);
  EXPECT_EQ(inputs_of(*plan), 1);
  ASSERT_NO_FATAL_FAILURE(expect_as_defined(g, *plan, 1));
}

// The first output needs the last beat of the frame, so all of the second one waits. When beats
// come one by one, no machine on its way holds more than one, and queues hold the rest.
TEST(PipelineInputs, BeatsThatComeOneByOne) {
  const Graph g = graph::parse_graph("late", R"(graph late
tensor x u8 1x5x7 scale 0x1.9374bcp-3 zero 1
tensor sum s8 1x5x7 scale 0x1.e353f8p-4 zero 45
tensor square s8 1x5x7 scale 0x1.0e5604p-3 zero -92
tensor late s8 14x1x1 scale 0x1.560418p-3 zero 127
input x
input late
output late
output square
add a x x -> sum
mul m sum sum -> square
)");
  const auto plan = pipeline_of(g, 0);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->interval(), 36);
  expect_as_defined(g, *plan, 0);
}

}  // namespace kumiki::gen::pipeline::input_test
