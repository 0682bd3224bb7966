// SPDX-License-Identifier: Apache-2.0
// Streams one behind the other along the channels, lines or columns; and one run of Verilator over
// the machines that only move and add numbers.
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/layers/pipeline/machines/width.h"
#include "gen/operators/add/machine.h"
#include "gen/operators/concat/machine.h"
#include "gen/operators/global_average/machine.h"
#include "gen/operators/lookup/machine.h"
#include "ir/resources.h"
#include "tests/support/cache.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::concat_test {

ConcatPlan plan_of(const Stream& like, const std::vector<std::int64_t>& channels) {
  ConcatPlan plan;
  for (const std::int64_t c : channels) {
    plan.streams.push_back(like);
    plan.streams.back().channels = c;
  }
  return plan;
}

ConcatPlan plan_of(const Stream& like, Along along, const std::vector<std::int64_t>& sizes) {
  ConcatPlan plan{.streams = {}, .along = along};
  for (const std::int64_t size : sizes) {
    plan.streams.push_back(like);
    (along == Along::lines ? plan.streams.back().height : plan.streams.back().width) = size;
  }
  return plan;
}

std::vector<ConcatPlan> sweep() {
  const auto like = [](std::int64_t height, std::int64_t width, std::int64_t lanes, int bits) {
    return Stream{
        .height = height, .width = width, .channels = 1, .lanes = lanes, .format = {bits, true}};
  };
  return {
      plan_of(like(1, 1, 1, 3), {1, 1}),
      plan_of(like(2, 3, 1, 8), {1, 3}),
      plan_of(like(3, 1, 1, 4), {3, 1, 2}),
      plan_of(like(1, 2, 2, 5), {2, 2}),
      plan_of(like(2, 2, 2, 5), {4, 3}),
      plan_of(like(1, 3, 3, 2), {3, 6, 9, 1}),
      plan_of(like(1, 1, 4, 8), {8, 4, 4, 8, 2}),
      plan_of(like(2, 1, 2, 1), {2, 2, 2, 2, 2, 2, 2, 2, 1}),
      plan_of(like(1, 2, 1, 2), {3, 1, 1, 4, 2, 1, 5}),
      plan_of({.width = 3, .channels = 5, .lanes = 2, .format = {4, true}}, Along::lines, {1, 2}),
      plan_of({.width = 1, .channels = 2, .lanes = 2, .format = {8, true}}, Along::lines,
              {4, 1, 3}),
      plan_of({.height = 1, .channels = 3, .lanes = 2, .format = {8, true}}, Along::columns,
              {2, 5, 1}),
      plan_of({.height = 3, .channels = 1, .lanes = 1, .format = {3, true}}, Along::columns,
              {1, 1, 1, 2})};
}

// The first axis that is joined.
std::size_t axis_of(const ConcatPlan& p) { return static_cast<std::size_t>(p.along); }

// The inputs are parts of the graph's input.
graph::Graph graph_of_parts(const ConcatPlan& p) {
  const auto tensor = [&](const std::string& name, const Stream& s) {
    return graph::Tensor{.name = name,
                         .shape = {static_cast<int>(s.channels), static_cast<int>(s.height),
                                   static_cast<int>(s.width)},
                         .format = s.format};
  };
  graph::Graph g{.name = "concat", .tensors = {tensor("x", p.output())}};
  graph::Node concat{.name = "concat", .op = graph::Concat{.axis = static_cast<int>(axis_of(p))}};
  std::int64_t first = 0;
  for (const Stream& stream : p.streams) {
    const auto part = tensor(fmt::format("t{}", g.tensors.size()), stream);
    std::vector<std::int64_t> places(static_cast<std::size_t>(part.shape[axis_of(p)]));
    std::iota(places.begin(), places.end(), first);
    first += std::ssize(places);
    graph::Pick pick;
    pick.add_runs(static_cast<int>(axis_of(p)), places);
    concat.inputs.push_back(g.tensors.size());
    g.nodes.push_back({.name = part.name, .op = pick, .inputs = {0}, .output = g.tensors.size()});
    g.tensors.push_back(part);
  }
  concat.output = g.tensors.size();
  g.outputs = {concat.output};
  g.tensors.push_back(tensor("y", p.output()));
  g.nodes.push_back(concat);
  return g;
}

// The inputs are convolutions of the graph's input, so that each has channels of its own.
graph::Graph graph_of(const ConcatPlan& p) {
  if (p.along != Along::channels) return graph_of_parts(p);
  const auto tensor = [&](const std::string& name, std::int64_t channels) {
    return graph::Tensor{
        .name = name,
        .shape = {static_cast<int>(channels), static_cast<int>(p.streams[0].height),
                  static_cast<int>(p.streams[0].width)},
        .format = p.streams[0].format};
  };
  graph::Graph g{.name = "concat", .tensors = {tensor("x", 1)}};
  graph::Node concat{.name = "concat", .op = graph::Concat{}};
  for (const Stream& stream : p.streams) {
    const auto channels = static_cast<std::size_t>(stream.channels);
    concat.inputs.push_back(g.tensors.size());
    g.nodes.push_back({.name = fmt::format("c{}", g.tensors.size()),
                       .op = graph::Conv{.weights = std::vector<std::int16_t>(channels, 1),
                                         .bias = std::vector<std::int32_t>(channels),
                                         .scales = {1}},
                       .inputs = {0},
                       .output = g.tensors.size()});
    g.tensors.push_back(tensor(fmt::format("t{}", g.tensors.size()), stream.channels));
  }
  concat.output = g.tensors.size();
  g.outputs = {concat.output};
  g.tensors.push_back(tensor("y", p.output().channels));
  g.nodes.push_back(concat);
  return g;
}

TEST(PipelineConcat, WhatIsLegal) {
  const Stream like{.width = 2, .lanes = 2, .format = {8, true}};
  EXPECT_TRUE(legal(plan_of(like, {2, 4})));
  EXPECT_TRUE(legal(plan_of(like, {2, 3})));
  EXPECT_FALSE(legal(plan_of(like, {3, 2})));
  EXPECT_FALSE(legal(plan_of(like, {2})));
  EXPECT_FALSE(legal(plan_of(like, std::vector<std::int64_t>(17, 2))));
  ConcatPlan plan = plan_of(like, {2, 2});
  plan.streams[1].lanes = 1;
  EXPECT_FALSE(legal(plan));
  // Along another axis the channels are alike, whatever divides them.
  const Stream odd{.width = 2, .channels = 3, .lanes = 2, .format = {8, true}};
  for (const Along along : {Along::lines, Along::columns}) {
    ConcatPlan of_places = plan_of(odd, along, {1, 4});
    EXPECT_TRUE(legal(of_places));
    of_places.streams[1].channels = 2;
    EXPECT_FALSE(legal(of_places));
    EXPECT_FALSE(legal(plan_of(odd, along == Along::lines ? Along::columns : Along::lines, {1})));
  }
  ConcatPlan other = plan_of(odd, Along::lines, {1, 4});
  other.streams[1].width = 3;
  EXPECT_FALSE(legal(other));
  other.along = Along::frames;
  EXPECT_TRUE(legal(other));
}

TEST(PipelineConcat, EveryFrameOfEveryShape) {
  for (const ConcatPlan& plan : sweep()) {
    ASSERT_TRUE(legal(plan));
    test::FrameRig rig(machine(plan));
    rig.expect_frames(graph_of(plan), 6, 5);
    test::expect_levels(rig.design(), plan.levels(), plan.text());
  }
}

TEST(PipelineConcat, AtMostThreeLevelsAndFewLuts) {
  for (const std::size_t inputs : {2u, 4u, 8u, 16u}) {
    const ConcatPlan plan = plan_of({.height = 9, .width = 9, .lanes = 8, .format = {8, true}},
                                    std::vector<std::int64_t>(inputs, 200));
    ASSERT_TRUE(legal(plan));
    test::FrameRig rig(machine(plan));
    test::expect_levels(rig.design(), plan.levels(), plan.text());
    const auto cost = ir::count_resources(rig.design()).total;
    EXPECT_LE(cost.luts, 64 * (inputs / 2 + 1) + 20 * inputs + 40);
  }
}

TEST(PipelineConcat, LockstepWithStallsAndResets) {
  test::MachineRig rig(test::machines_of(sweep()));
  rig.run_native(3000);
  rig.run_lanes(200);
}

TEST(PipelineConcat, WrongCellsAreSeen) {
  test::MachineRig({machine(plan_of({.lanes = 2, .format = {3, true}}, {2, 4, 3})),
                    machine(plan_of({.height = 2, .channels = 2, .lanes = 1, .format = {3, true}},
                                    Along::columns, {1, 3}))})
      .expect_mutants_seen(60);
}

TEST(PipelineMoves, OnVerilator) {
  const Stream stream{.width = 3, .channels = 5, .lanes = 2, .format = {8, true}};
  Stream unlike = stream;
  unlike.format = {8, false};
  const Pairs products{
      .a = {-2, 1}, .b = {-2, 1}, .results = {4, 2, 0, -2, 2, 1, 0, -1, 0, 0, 0, 0, -2, -1, 0, 1}};
  const auto sum = [&](const AddRule& rule, AddForm form) {
    AddPlan plan{
        .a = stream, .b = unlike, .format = {8, true}, .form = form, .rule = rule, .results = {}};
    for (std::int64_t a = -128; a < 128; ++a)
      for (std::int64_t b = 0; b < 256; ++b)
        plan.results.push_back(static_cast<std::int16_t>(rule.at(a, b)));
    return machine(plan);
  };
  LookupPlan squares{.stream = stream, .format = {8, false}, .values = {}}, wide = squares;
  wide.stream.format = {9, false};
  for (int i = -128; i < 128; ++i) squares.values.push_back(static_cast<std::int16_t>(i * i / 65));
  for (int i = 0; i < 512; ++i) wide.values.push_back(static_cast<std::int16_t>(i * i % 251));
  const Stream two{.channels = 1, .lanes = 1, .format = {2, true}};
  const test::Machines all = {machine(WidthPlan{.stream = stream, .lanes = 1}),
                              machine(AveragePlan{.stream = stream}),
                              machine(WidthPlan{.stream = stream, .lanes = 6}),
                              machine(squares),
                              machine(wide),
                              machine(plan_of(stream, {2, 4, 5})),
                              machine(plan_add(two, two, {4, true}, products)),
                              sum({.factor_a = 1234567,
                                   .factor_b = -765432,
                                   .offset = -345678,
                                   .shift = 20,
                                   .lowest = -128,
                                   .highest = 127},
                                  AddForm::two_slices),
                              sum({.factor_a = 6,
                                   .factor_b = 3,
                                   .offset = 5,
                                   .shift = 3,
                                   .tie_bits = 0,
                                   .lowest = -128,
                                   .highest = 127},
                                  AddForm::one_slice)};
  test::MachineRig(test::this_time(all, 4)).run_verilated(3000, test::shared_cache);
}

}  // namespace kumiki::gen::pipeline::concat_test
