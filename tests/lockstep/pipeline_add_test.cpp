// SPDX-License-Identifier: Apache-2.0
// Sums of two streams: planes in one slice and in two, ties, clamps of every kind, tables.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/operators/add/machine.h"
#include "ir/resources.h"
#include "tests/support/levels.h"
#include "tests/support/machine_frames.h"
#include "tests/support/machine_layer.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::add_test {

struct Case {
  std::string name;
  graph::Tensor a, b, sum;
  AddForm form;
  int stages;
  std::vector<std::int16_t> table = {};
};

graph::Tensor tensor(int bits, bool is_signed, float scale, int zero_point) {
  return {.format = {bits, is_signed}, .zero_point = zero_point, .scale = scale};
}

std::vector<Case> cases() {
  const auto s8 = [](float scale, int zero) { return tensor(8, true, scale, zero); };
  const auto u8 = [](float scale, int zero) { return tensor(8, false, scale, zero); };
  std::vector<Case> all{
      {"a residual block", s8(0.0645F, 37), s8(0.0202F, -128), s8(0.0307F, -128),
       AddForm::two_slices, 3},
      {"without signs", u8(0.0431F, 3), u8(0.0469F, 16), u8(0.0267F, 5), AddForm::two_slices, 3},
      {"never clamped", u8(0.0431F, 0), u8(0.0469F, 0), u8(0.0911F, 0), AddForm::two_slices, 3},
      {"one scale", s8(0.5F, 3), s8(0.5F, -7), s8(0.5F, 5), AddForm::one_slice, 3},
      {"ties", s8(1, 0), s8(1, 0), s8(2, 0), AddForm::one_slice, 3},
      {"ties that are clamped", s8(1, 3), s8(2, -7), s8(2, 5), AddForm::one_slice, 5},
      {"twice as much", s8(0.25F, 3), u8(0.125F, 7), u8(0.25F, 50), AddForm::one_slice, 5},
      {"few bits", tensor(4, false, 0.3F, 2), tensor(4, true, 0.2F, -1), tensor(4, true, 0.4F, 1),
       AddForm::luts, 1},
      {"ratios of small integers", tensor(6, true, 0.3F, 1), tensor(6, true, 0.3F, 2),
       tensor(6, true, 1, 3), AddForm::memory, 2}};
  all.push_back({"a pair is moved up", s8(0.0145921502F, -1), s8(0.0336533114F, 127),
                 u8(0.109871522F, 191), AddForm::two_slices, 3});
  Case down = all.back();
  down.name = "a pair is moved down";
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b)
      down.table.push_back(
          static_cast<std::int16_t>(255 - graph::added(down.a, down.b, down.sum, a, b)));
  all.push_back(down);
  // Between bounds that are not those of the format.
  Case narrow{"a narrow range",      tensor(5, true, 1, 0), tensor(5, true, 1, 0),
              tensor(5, true, 1, 0), AddForm::one_slice,    4};
  for (int a = -16; a < 16; ++a)
    for (int b = -16; b < 16; ++b)
      narrow.table.push_back(static_cast<std::int16_t>(std::clamp(a + b, -15, 10)));
  all.push_back(narrow);
  Case product{"no sum at all",       tensor(5, true, 1, 0), tensor(5, false, 1, 0),
               tensor(9, true, 1, 0), AddForm::memory,       2};
  for (int a = -16; a < 16; ++a)
    for (int b = 0; b < 32; ++b) product.table.push_back(static_cast<std::int16_t>(a * b / 2));
  all.push_back(product);
  return all;
}

// Both inputs are tables of the graph's input, so that each has a format of its own.
graph::Graph graph_of(const Case& c, const Stream& stream) {
  graph::Graph g{.name = "sum", .tensors = {c.a, c.a, c.b, c.sum}, .outputs = {3}};
  for (std::size_t i = 0; i < g.tensors.size(); ++i) {
    g.tensors[i].name = fmt::format("t{}", i);
    g.tensors[i].shape = test::shape_of(stream);
  }
  for (const std::size_t out : {1u, 2u}) {
    graph::Lookup ends;
    const auto range = g.tensors[out].format.range();
    ends.values.assign(std::size_t{1} << c.a.format.bits, static_cast<std::int16_t>(range.lo));
    ends.values.back() = static_cast<std::int16_t>(range.hi);
    g.nodes.push_back({.name = fmt::format("l{}", out), .op = ends, .inputs = {0}, .output = out});
  }
  g.nodes.push_back(
      {.name = "add", .op = graph::Add{.table = c.table}, .inputs = {1, 2}, .output = 3});
  return g;
}

Stream stream_of(const Case& c, std::int64_t channels, std::int64_t lanes) {
  return {.height = 2, .width = 3, .channels = channels, .lanes = lanes, .format = c.a.format};
}

// The plane of a case is looked for once: it does not depend on the shape.
AddPlan plan_of(const Case& c, const Stream& a, ir::Family family = ir::Family::ultrascale_plus) {
  static std::map<std::pair<std::string, ir::Family>, AddPlan> known;
  Stream b = a;
  b.format = c.b.format;
  EXPECT_TRUE(legal(a, b));
  const std::pair key{c.name, family};
  if (!known.contains(key)) {
    const graph::Graph g = graph_of(c, a);
    known[key] =
        plan_add(a, b, c.sum.format, pairs_of(g, g.nodes.back(), graph::reached_numbers(g)),
                 packing::Limits::of(family));
  }
  AddPlan plan = known[key];
  plan.a = a;
  plan.b = b;
  return plan;
}

// Another shape a case: lanes that divide the channels, and lanes that do not.
AddPlan plan_of(const Case& c, std::size_t turn) {
  return plan_of(c, stream_of(c, 1 + static_cast<std::int64_t>(turn) % 5,
                              1 + static_cast<std::int64_t>(turn) % 3));
}

// Sums on A, factors of 24 bits, constants on C.
TEST(PipelineAdd, FormsAndFramesOnThe7Series) {
  const auto all = cases();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto lanes = 1 + static_cast<std::int64_t>(i) % 3;
    const AddPlan plan = plan_of(all[i], stream_of(all[i], 2, lanes), ir::Family::series7);
    SCOPED_TRACE(all[i].name + ": " + plan.text());
    EXPECT_EQ(plan.form, all[i].form);
    test::FrameRig rig(machine(plan), ir::Family::series7);
    rig.expect_frames(graph_of(all[i], plan.a), 6, i);
    test::expect_levels(rig.design(), plan.levels());
    EXPECT_EQ(static_cast<std::int64_t>(ir::count_resources(rig.design()).total.dsps),
              plan.slices());
  }
}

TEST(PipelineAdd, FormsAndFrames) {
  const auto all = cases();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const AddPlan plan = plan_of(all[i], i);
    SCOPED_TRACE(all[i].name + ": " + plan.text());
    EXPECT_EQ(plan.form, all[i].form);
    EXPECT_EQ(plan.stages(), all[i].stages);
    EXPECT_EQ(plan.rule.moved.size(), all[i].name.starts_with("a pair is moved") ? 1u : 0u);
    test::FrameRig rig(machine(plan));
    rig.expect_frames(graph_of(all[i], plan.a), 6, i);
    test::expect_levels(rig.design(), plan.levels());
    const auto cost = ir::count_resources(rig.design()).total;
    EXPECT_EQ(static_cast<std::int64_t>(cost.dsps), plan.slices());
    EXPECT_LE(cost.luts, 16 * plan.a.lanes + 20);
    EXPECT_EQ(cost.brams_18k > 0, plan.form == AddForm::memory);
  }
}

TEST(PipelineAdd, WideBeats) {
  for (const Case& c : test::this_time(cases(), 4)) {
    const AddPlan plan = plan_of(c, stream_of(c, 64, 64));
    test::expect_levels(test::FrameRig(machine(plan)).design(), plan.levels(), c.name);
  }
}

// Every pair once, one behind the other: the netlist is equal to the definition for all of them.
TEST(PipelineAdd, EveryPairThroughTheNetlist) {
  const auto all = cases();
  for (const std::size_t i :
       test::this_time<std::size_t>({0u, 4u, 6u, 7u, 8u, 9u, 10u, 11u, 12u}, 3)) {
    const Case& c = all[i];
    const Stream stream{.height = 1 << c.b.format.bits,
                        .channels = 1 << c.a.format.bits,
                        .lanes = 8,
                        .format = c.a.format};
    const AddPlan plan = plan_of(c, stream);
    std::vector<std::vector<test::Numbers>> frames(2, std::vector(1, test::Numbers{}));
    test::Numbers wanted;
    const auto low_a = static_cast<std::int32_t>(static_cast<std::int64_t>(c.a.format.range().lo));
    const auto low_b = static_cast<std::int32_t>(static_cast<std::int64_t>(c.b.format.range().lo));
    for (std::int32_t a = low_a; a < low_a + (1 << c.a.format.bits); ++a)
      for (std::int32_t b = low_b; b < low_b + (1 << c.b.format.bits); ++b) {
        frames[0][0].push_back(a);
        frames[1][0].push_back(b);
        wanted.push_back(c.table.empty() ? graph::added(c.a, c.b, c.sum, a, b)
                                         : c.table[wanted.size()]);
      }
    const auto run = test::FrameRig(machine(plan)).netlist(frames);
    ASSERT_EQ(run.frames.size(), 1u);
    EXPECT_TRUE(run.frames[0] == wanted) << c.name;
  }
}

TEST(PipelineAdd, LockstepWithStallsAndResets) {
  test::Machines all;
  std::size_t turn = 0;
  for (const Case& c : test::this_time(cases(), 4)) all.push_back(machine(plan_of(c, turn++)));
  test::MachineRig rig(all);
  rig.run_native(1500);
  rig.run_lanes(100);
}

TEST(PipelineAdd, WrongCellsAreSeen) {
  const auto all = cases();
  for (const std::size_t i : {0u, 5u})
    test::MachineRig({machine(plan_of(all[i], stream_of(all[i], 2, 1)))}).expect_mutants_seen(30);
}

}  // namespace kumiki::gen::pipeline::add_test
