// SPDX-License-Identifier: Apache-2.0
// Weights come in while the old ones multiply, swaps fall between two sets, stalls and resets
// anywhere: every output in every cycle against sums of products.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "gen/layers/stored_dot/build.h"
#include "gen/layers/stored_dot/layer.h"
#include "gen/layers/stored_dot/model.h"
#include "tests/support/cache.h"
#include "tests/support/long_form.h"
#include "tests/support/network_rig.h"
#include "tests/support/seed.h"

namespace kumiki::gen {
namespace operand_store_lockstep_test {

using packing::Side;
using packing::StoreEnable;
using packing::StoreKind;

using stored_dot::Operation;

packing::Limits column(int height) {
  packing::Limits limits;
  limits.column_height = height;
  return limits;
}

// A request and the height of a column.
struct Case {
  stored_dot::Request request;
  int height = 96;

  stored_dot::StoredPlan plan() const { return stored_dot::plan(request, column(height)); }
  std::string name() const { return fmt::format("{}_h{}", plan().module_name(), height); }
  std::unique_ptr<Layer> layer() const {
    config::Target target;
    target.column_height = height;
    return stored_dot::make_layer(request, target);
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Operation operation : {Operation::product, Operation::sum, Operation::pair})
    for (const int height : {3, 96})
      for (const int terms : {1, 2, 7}) {
        if (height == 3 && terms < 7) continue;
        for (const Side side : {Side::Shared, Side::Packed}) {
          if (operation != Operation::product && side == Side::Packed) continue;
          stored_dot::Request r{.terms = terms, .operation = operation, .side = side};
          // Two chains side by side where it makes a difference: they share all enables.
          r.chains = terms == 7 ? 2 : 1;
          const bool pair = operation == Operation::pair;
          r.weight_bits = pair ? 8 : side == Side::Shared ? 18 : 27;
          r.data_bits = pair ? 8 : 16;
          for (const StoreEnable enable : {StoreEnable::Common, StoreEnable::Skewed}) {
            r.enable = enable;
            all.push_back({r, height});
          }
          r.enable = StoreEnable::Common;
          r.kind = StoreKind::TwoEntries;
          all.push_back({r, height});
        }
      }
  // Eight full INT8 pairs: the lane of x has no room left and its offset is not half of it.
  all.push_back({{.terms = 8, .operation = Operation::pair}, 96});
  return all;
}

std::vector<NamedLayer> layers_of(const std::vector<Case>& all) {
  std::vector<NamedLayer> layers;
  for (const auto& c : all) layers.push_back({c.name(), "stored_dot", {}, c.layer()});
  return layers;
}

struct AllStores : test::NetworkRig {
  explicit AllStores(const std::vector<Case>& all = cases()) : NetworkRig(layers_of(all)) {
    options.seed = 21;
    options.resets = 12;
    for (const auto& p : ports.inputs)
      if (p.name.ends_with("_swap")) options.roles.emplace(p.name, backends::Role::valid);
  }
};

void expect_results(const AllStores& stores, const backends::LockstepResult& result) {
  // Three handshakes in every cycle, sums where there are any.
  EXPECT_GT(result.comparisons, 5000u * stores.layers.size() * 13 / 4);
  EXPECT_GT(result.stimulus.stalled_cycles, 1000u);
}

TEST(OperandStoreLockstep, EveryKindOnTheNativeSimulator) {
  AllStores all;
  expect_results(all, all.run_native(5000));
}

TEST(OperandStoreLockstep, EveryKindOnVerilator) {
  AllStores stores(test::this_time(cases(), 4));
  expect_results(stores, stores.run_verilated(5000, test::shared_cache));
}

TEST(OperandStoreLockstep, SixtyFourRunsAtOnce) { AllStores().run_lanes(400); }

TEST(OperandStoreLockstep, AChangedNetlistIsSeen) {
  std::vector<Case> some = cases();
  std::erase_if(some, [](const auto& c) { return c.height != 3 && c.request.terms != 2; });
  AllStores(test::this_time(some, 2)).expect_mutants_seen(60);
}

TEST(OperandStoreLockstep, AnyNumberOfSlicesAndColumns) {
  std::mt19937_64 rng(9);
  const auto below = [&](int end) { return static_cast<int>(rng() % static_cast<unsigned>(end)); };
  int planned = 0;
  while (planned < 60) {
    stored_dot::Request r{.terms = 1 + below(20), .chains = 1 + below(3)};
    r.operation = static_cast<Operation>(below(3));
    if (r.operation == Operation::product) r.side = static_cast<Side>(below(2));
    r.kind = static_cast<StoreKind>(below(2));
    if (r.kind == StoreKind::ShiftChain) r.enable = static_cast<StoreEnable>(below(2));
    r.weight_bits = 1 + below(r.operation == Operation::pair ? 5 : 18);
    r.data_bits = 1 + below(r.operation == Operation::pair ? 9 : 18);
    const Case c{r, 1 + below(12)};
    if (stored_dot::complaint(r, column(c.height))) continue;
    ++planned;
    std::vector<NamedLayer> layers;
    layers.push_back({"any", "stored_dot", {}, c.layer()});
    Builder builder;
    const BuiltNetwork network = build_network(builder, "any_store", layers);
    auto options = flow::stimulus_of(network);
    options.seed = rng();
    options.cycles = 800;
    options.resets = 3;
    options.roles.emplace("any_swap", backends::Role::valid);
    auto result = backends::run_lanes([&] { return network_model(network); }, builder.design(), 8,
                                      options, {.cycles = 800});
    ASSERT_TRUE(result.passed()) << c.name() << layers[0].layer->plan_text()
                                 << backends::report(builder.design(), result, "native");
  }
}

// The stimulus of the runs above does swap, in the middle of loads and of sums.
TEST(OperandStoreLockstep, TheStimulusSwapsAndStallsAndLoads) {
  for (const Case& c : cases()) {
    const stored_dot::StoredPlan plan = c.plan();
    const ir::PortLayout ports = [&] {
      Builder builder;
      return ir::layout(build_top(builder, stored_dot::build, plan, plan.input_shape()));
    }();
    backends::StimulusOptions options{.seed = 21, .cycles = 5000, .stall = 0.1, .resets = 12};
    options.roles.emplace("swap", backends::Role::valid);
    backends::Stimulus stimulus(ports, options);
    stored_dot::StoredModel model(plan);
    stored_dot::StoredIn<Values> in;
    ir::Frame frame;
    int swaps = 0, moved = 0;
    std::vector<std::int64_t> before;
    for (int cycle = 0; cycle < 5000; ++cycle) {
      stimulus.next(frame);
      unpack(plan.input_shape(), frame, in);
      const auto out = model.step(in);
      swaps += out.full && in.swap && in.en ? 1 : 0;
      moved += out.p != before ? 1 : 0;
      before = out.p;
    }
    EXPECT_GT(swaps, 80) << c.name();
    EXPECT_GT(moved, 1500) << c.name();
  }
}

// Always offered, always swapped: the swaps come as often as the plan says, and not more often.
TEST(OperandStoreLockstep, SwapsFollowAtThePeriodOfThePlan) {
  for (const Case& c : cases()) {
    const stored_dot::StoredPlan plan = c.plan();
    Builder builder;
    build_top(builder, stored_dot::build, plan, plan.input_shape());
    backends::NativeMachine machine(builder.design());
    machine.power_up();
    stored_dot::StoredIn<Values> in{.rst = false, .en = true, .weight_valid = true, .swap = true};
    in.weights.assign(plan.input_shape().weights.size(), 5);
    in.x.assign(plan.input_shape().x.size(), 1);
    in.d.assign(plan.input_shape().d.size(), 1);
    stored_dot::StoredOut<Values> out;
    ir::Frame frame, got;
    std::vector<int> swaps;
    for (int cycle = 0; cycle < 200; ++cycle) {
      pack(plan.input_shape(), in, frame);
      machine.step(frame, got);
      unpack(plan.output_shape(), got, out);
      if (out.full) swaps.push_back(cycle);
    }
    ASSERT_GT(swaps.size(), 5u);
    for (std::size_t k = 2; k < swaps.size(); ++k)
      EXPECT_EQ(swaps[k] - swaps[k - 1], plan.store.period) << c.name();
  }
}

// No flip-flop holds a weight: what is outside the slices grows by a few bits a slice, whatever
// the width.
TEST(OperandStoreLockstep, FlipFlopsHoldNoWeights) {
  for (const Case& c : cases()) {
    const stored_dot::StoredPlan plan = c.plan();
    Builder builder;
    ir::Module& top = build_top(builder, stored_dot::build, plan, plan.input_shape());
    std::uint32_t flops = 0;
    for (const auto& cell : top.cells())
      if (cell.kind == ir::Kind::fdre) flops += cell.width;
    const bool skewed_columns = plan.request.enable == StoreEnable::Skewed && plan.columns() > 1;
    const std::uint32_t feed =
        skewed_columns ? 27u * 2 * static_cast<std::uint32_t>(plan.request.chains) : 0;
    const auto terms = static_cast<std::uint32_t>(plan.request.terms);
    const auto valid = static_cast<std::uint32_t>(plan.latency());
    EXPECT_LE(flops, 10 + feed + valid + 3 * terms) << c.name();
  }
}

}  // namespace operand_store_lockstep_test
}  // namespace kumiki::gen
