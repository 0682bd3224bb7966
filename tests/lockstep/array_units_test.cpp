// SPDX-License-Identifier: Apache-2.0
// Units of a network side by side on the netlist: together they are the network, every result is
// the layer's, and a wrong netlist is seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/sim/mutation/mutation.h"
#include "backends/sim/native/machine.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/array/build.h"
#include "gen/layers/array/side_by_side.h"
#include "ir/check.h"
#include "tests/gen/layers/array/jobs.h"

namespace kumiki {
namespace array_units_test {

using namespace gen::array;
using gen::array::test::conv;
using gen::array::test::fc;
using gen::array::test::job_of;
using gen::array::test::own_inputs;

ArrayPlan small_plan() {
  return plan({.rows = 4,
               .columns = 5,
               .accumulators = 3,
               .data_bits = 8,
               .coefficient_bits = 8,
               .reach = 5,
               .stream_words = 20,
               .window_words = 64,
               .common_words = 400,
               .output_words = 5,
               .max_pool = true});
}

// Groups, pooling, a stride, a last turn of one channel, blocks of outputs that are not full.
Program network(const ArrayPlan& p) {
  return compile(p, {job_of(conv({.in_channels = 4,
                                  .height = 9,
                                  .width = 8,
                                  .out_channels = 14,
                                  .kernel = 3,
                                  .groups = 2,
                                  .padding_before = 1,
                                  .padding_after = 1}),
                            p, 1, {PoolKind::max, 2}, true),
                     job_of(conv({.in_channels = 14,
                                  .height = 4,
                                  .width = 4,
                                  .out_channels = 5,
                                  .kernel = 2,
                                  .stride = 2}),
                            p, 2),
                     job_of(fc(20, 43), p, 3), job_of(fc(43, 1), p, 4)});
}

TEST(ArrayUnits, TogetherAreTheNetwork) {
  const Program program = network(small_plan());
  const auto units = units_of(program);
  // 2 groups of 3, 3 and 1 channels; 3 and 2; blocks of 20, 20 and 3; 1.
  ASSERT_EQ(units.size(), 6u + 2u + 3u + 1u);
  std::vector<std::vector<int>> seen;
  std::vector<std::int64_t> steps(program.layers.size());
  for (const ProgramLayer& l : program.layers)
    seen.emplace_back(static_cast<std::size_t>(l.job.outputs()));
  for (const Unit& u : units) {
    for (std::int64_t i = u.first; i < u.first + u.count; ++i)
      ++seen.at(u.layer).at(static_cast<std::size_t>(i));
    steps[u.layer] += u.steps;
  }
  for (std::size_t l = 0; l < seen.size(); ++l) {
    EXPECT_THAT(seen[l], ::testing::Each(1)) << l;
    EXPECT_EQ(steps[l], program.layers[l].figures.steps) << l;
  }
  EXPECT_TRUE(std::ranges::is_sorted(units, std::ranges::greater{}, &Unit::steps));
}

// The second group of a convolution sees channels 2 and 3, and its own weights.
TEST(ArrayUnits, TakeTheirPartOfALayer) {
  const Program program = network(small_plan());
  const Unit last{.layer = 0, .first = 13, .count = 1, .steps = 0};
  const LayerJob layer = program.layers[0].job, job = program_of(program, last).layers[0].job;
  EXPECT_EQ(job.in_shape(), (MapShape{2, 9, 8}));
  for (std::int64_t i = 0; i < 18; ++i) EXPECT_EQ(job.weights[i], layer.weights[13 * 18 + i]);
  EXPECT_EQ(job.bias, std::vector{layer.bias[13]});
  const Tensor all = random_tensor(layer.in_shape(), 5, 8);
  EXPECT_EQ(input_of(program, last, all).values,
            std::vector(all.values.begin() + 2 * 72, all.values.end()));
  const Weights given({1, 2, 3, 4, 5});
  EXPECT_EQ(given.part(1, 3).part(1, 2)[1], 4);
}

class Netlist {
 public:
  explicit Netlist(const ArrayPlan& plan) : in_(input_shape(plan)) {
    gen::build_top(builder_, gen::array::build, plan, in_);
  }
  ir::Design& design() { return builder_.design(); }

  std::optional<std::string> run(SideBySide& all) {
    backends::NativeMachines machines(design());
    machines.power_up();
    return all.run(
        [&](std::span<const ir::Frame> in, std::span<ir::Frame> out) { machines.step(in, out); });
  }
  SideBySide::Place place() { return {.input_limbs = ir::layout(design().top()).input_limbs}; }

 private:
  ArrayIn<gen::Hardware> in_;
  gen::Builder builder_;
};

TEST(ArrayUnits, GiveTheResultsOfEveryLayer) {
  const ArrayPlan p = small_plan();
  const Program program = network(p);
  const auto inputs = own_inputs(program, 7);
  Netlist netlist(p);
  for (const int stalls : {0, 100}) {
    SideBySide all(program, inputs, netlist.place(), {.stalls = stalls, .seed = 3});
    EXPECT_EQ(netlist.run(all), std::nullopt) << stalls;
    EXPECT_EQ(all.steps(), all.all_steps());
    EXPECT_EQ(all.layers()[2].units, 3);
    EXPECT_GE(all.layers()[2].clocks, program.layers[2].figures.steps);
  }
}

TEST(ArrayUnits, SeeAWrongNetlist) {
  const ArrayPlan p = small_plan();
  const Program program = network(p);
  const auto inputs = own_inputs(program, 7);
  Netlist netlist(p);
  std::size_t legal = 0, seen = 0;
  for (const auto& mutation : backends::random_mutations(netlist.design(), 12, 1)) {
    backends::apply(netlist.design(), mutation);
    if (ir::check(netlist.design()).empty()) {
      ++legal;
      SideBySide all(program, inputs, netlist.place(), {});
      try {
        seen += netlist.run(all) ? 1 : 0;
      } catch (const DesignError&) {  // its streams break their rules
        ++seen;
      }
    }
    auto back = mutation;
    std::swap(back.before, back.after);
    backends::apply(netlist.design(), back);
  }
  EXPECT_GE(legal, 4u);
  EXPECT_GE(seen * 3, legal);  // others sit where this network has nothing to do
}

}  // namespace array_units_test
}  // namespace kumiki
