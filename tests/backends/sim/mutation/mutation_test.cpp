// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/mutation/mutation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

#include "gen/hdl/hdl.h"
#include "gen/layers/dot/build.h"
#include "gen/layers/dot/model.h"
#include "ir/text.h"

namespace kumiki::backends {
namespace mutation_mutation_test {

using namespace gen;

// Random data and corners, stalls, resets; every run a stream of its own.
void stimulus_of(const dot::DotPlan& plan, unsigned run, std::size_t cycle, ir::Frame& frame) {
  std::mt19937_64 random(run * 1'000'003 + cycle);
  dot::DotIn<Values> in{
      .rst = random() % 40 == 0, .en = random() % 8 != 0, .in_valid = random() % 2 == 0};
  const std::uint64_t corners[] = {0x80, 0x7f, 0xff, 0, 1};
  in.x.resize(plan.input_shape().x.size());
  in.y.resize(plan.input_shape().y.size());
  for (auto* words : {&in.x, &in.y})
    for (auto& w : *words) w = run % 2 ? corners[random() % 5] : random() % 256;
  pack(plan.input_shape(), in, frame);
}

TEST(Mutation, LockstepCatchesMistakesInADotProduct) {
  for (auto skew : {packing::Skew::Internal, packing::Skew::External}) {
    const auto plan = *dot::plan({.scheme = packing::Scheme::Wp487Int8, .terms = 7, .skew = skew});
    Builder builder;
    build_top(builder, dot::build, plan, plan.input_shape());
    const auto before = ir::print(builder.design());
    auto model = [&]() -> std::unique_ptr<ir::Machine> {
      return std::make_unique<Model<dot::DotIn, dot::DotOut, dot::DotModel>>(
          plan.input_shape(), plan.output_shape(), dot::DotModel(plan));
    };
    auto stimulus = [&](unsigned run, std::size_t cycle, ir::Frame& f) {
      stimulus_of(plan, run, cycle, f);
    };
    auto result = try_mutations(builder.design(), model, stimulus,
                                {.seed = 7, .count = 150, .cycles = 120, .survivor_cycles = 500});
    EXPECT_EQ(result.tried, 150u);
    EXPECT_GT(result.by_lockstep, 50u);
    for (const Mutation& m : result.missed)
      ADD_FAILURE() << "missed: " << to_string(builder.design(), m);
    EXPECT_GE(result.caught(), 0.95);
    EXPECT_EQ(ir::print(builder.design()), before) << "the design is put back";
  }
}

// One LUT6, the AND of six inputs.
void build_and(Builder& builder) {
  auto& m = builder.design().add_module("m");
  Scope s(builder, m);
  auto a = s.input<UInt>("a", 6);
  s.output("y", bits(s, {all_of(s, a)}));
  s.finish();
  builder.design().set_top(m.id());
}

// A netlist that its stimulus cannot exercise: what nobody looks at is missed, and said so.
TEST(Mutation, AWeakStimulusIsToldFromAnEquivalentChange) {
  Builder builder;
  build_and(builder);
  struct Zero : ir::Machine {
    void power_up() override {}
    void step(const ir::Frame& in, ir::Frame& out) override { out = {in[0] == 63}; }
  };
  // Zeros while the model looks on, everything afterwards.
  auto stimulus = [](unsigned run, std::size_t cycle, ir::Frame& f) { f = {cycle < 4 ? 0 : run}; };
  auto result = try_mutations(builder.design(), [] { return std::make_unique<Zero>(); }, stimulus,
                              {.seed = 1, .count = 60, .cycles = 4, .survivor_cycles = 4});
  EXPECT_FALSE(result.missed.empty());
  EXPECT_LT(result.caught(), 0.95);
  EXPECT_THAT(to_string(builder.design(), result.missed[0]),
              ::testing::HasSubstr("module m: LUT6 at "));
}

// Every bit of a table may be the one that is wrong.
TEST(Mutation, AnyBitOfATableIsTried) {
  Builder builder;
  build_and(builder);
  struct Zero : ir::Machine {
    void power_up() override {}
    void step(const ir::Frame&, ir::Frame& out) override { out = {0}; }
  };
  // One row of the table is looked at, so nearly all changes of it are missed, and listed.
  const auto stimulus = [](unsigned, std::size_t cycle, ir::Frame& f) {
    f = {cycle < 4 ? 0U : 9U};
  };
  const auto result =
      try_mutations(builder.design(), [] { return std::make_unique<Zero>(); }, stimulus,
                    {.seed = 1, .count = 400, .cycles = 4, .survivor_cycles = 4});
  std::set<std::uint64_t> changed;
  for (const Mutation& one : result.missed)
    if (one.kind == Mutation::Kind::parameter_bit) changed.insert(one.before ^ one.after);
  EXPECT_TRUE(changed.contains(std::uint64_t{1} << 9));
  for (const std::uint64_t bit : changed) EXPECT_TRUE(std::has_single_bit(bit));
}

TEST(Mutation, EveryMutationChangesSomething) {
  const auto plan = *dot::plan({.scheme = packing::Scheme::Wp487Int8, .terms = 7});
  Builder builder;
  build_top(builder, dot::build, plan, plan.input_shape());
  std::set<Mutation::Kind> kinds;
  for (const Mutation& one : random_mutations(builder.design(), 2000, 1)) {
    EXPECT_NE(one.before, one.after);
    kinds.insert(one.kind);
  }
  EXPECT_EQ(kinds.size(), 3u);
}

TEST(Mutation, ANetlistThatIsWrongAlreadyIsRefused) {
  Builder builder;
  auto& m = builder.design().add_module("m");
  Scope s(builder, m);
  s.output("y", s.input<UInt>("a", 1));
  s.finish();
  builder.design().set_top(m.id());
  struct Wrong : ir::Machine {
    void power_up() override {}
    void step(const ir::Frame& in, ir::Frame& out) override { out = {in[0] ^ 1}; }
  };
  EXPECT_THROW(try_mutations(
                   builder.design(), [] { return std::make_unique<Wrong>(); },
                   [](unsigned run, std::size_t, ir::Frame& f) { f = {run & 1}; }),
               DesignError);
}

}  // namespace mutation_mutation_test
}  // namespace kumiki::backends
