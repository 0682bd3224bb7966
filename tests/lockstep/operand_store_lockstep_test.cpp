// SPDX-License-Identifier: Apache-2.0
// Weights come in while the old ones multiply, swaps fall between two sets, stalls and resets
// anywhere: every output in every cycle against sums of products.
#include <gtest/gtest.h>

#include <random>

#include "backends/lockstep/lockstep.h"
#include "backends/lockstep/report.h"
#include "backends/mutation/mutation.h"
#include "backends/native/machine.h"
#include "backends/verilator/verilated_machine.h"
#include "gen/network.h"
#include "tests/lockstep/stored_dot.h"

namespace kumiki::gen {
namespace {

using packing::Side;
using packing::StoreEnable;
using packing::StoreKind;

stored_dot::Plan plan_of(packing::StoreRequest request, int height) {
  request.tile_cycles = 1000;
  request.operand_bits = 18;
  request.limits.column_height = height;
  // Two chains side by side where it makes a difference: they share all enables.
  return {packing::plan_store(request), request.slices == 7 ? 2 : 1};
}

class StoredDotLayer : public Layer {
 public:
  explicit StoredDotLayer(const stored_dot::Plan& plan) : plan_(plan) {}
  std::string plan_text() const override { return to_text(plan_.store); }
  Json plan_json() const override { return {}; }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, stored_dot::build, plan_, plan_.input_shape(), origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<stored_dot::In, stored_dot::Out, stored_dot::Model>>(
        plan_.input_shape(), plan_.output_shape(), stored_dot::Model(plan_));
  }

 private:
  stored_dot::Plan plan_;
};

std::vector<stored_dot::Plan> plans() {
  std::vector<stored_dot::Plan> all;
  for (const bool preadder : {false, true})
    for (const int height : {3, 96})
      for (const int slices : {1, 2, 7}) {
        if (height == 3 && slices < 7) continue;
        for (const Side side : {Side::Shared, Side::Packed}) {
          if (preadder && side == Side::Packed) continue;
          for (const StoreEnable enable : {StoreEnable::Common, StoreEnable::Skewed})
            all.push_back(plan_of(
                {.slices = slices, .enable = enable, .side = side, .preadder = preadder}, height));
          all.push_back(plan_of(
              {.slices = slices, .kind = StoreKind::TwoEntries, .side = side, .preadder = preadder},
              height));
        }
      }
  return all;
}

struct AllStores {
  explicit AllStores(const std::vector<stored_dot::Plan>& all = plans()) {
    for (const auto& plan : all)
      layers.push_back(
          {plan.module_name(), "stored_dot", {}, std::make_unique<StoredDotLayer>(plan)});
    network = build_network(builder, "all_stores", layers);
    ports = ir::layout(builder.design().top());
    for (const auto& p : ports.inputs) {
      const bool is_swap = p.name.ends_with("_swap");
      if (is_swap) options.roles.emplace(p.name, backends::Role::valid);
      if (p.name.ends_with("_x") || p.name.ends_with("_d"))
        options.fields.emplace(p.name, backends::StimulusOptions::Field{16, true});
    }
  }
  AllStores(const AllStores&) = delete;
  std::vector<NamedLayer> layers;
  Builder builder;
  BuiltNetwork network;
  ir::PortLayout ports;
  backends::StimulusOptions options{.seed = 21, .cycles = 5000, .stall = 0.1, .resets = 12};
};

TEST(OperandStoreLockstep, EveryKindOnTheNativeSimulatorAndOnVerilator) {
  AllStores all;
  auto model = network_model(all.network);
  backends::NativeMachine native(all.builder.design());
  backends::VerilatedMachine verilated(all.builder.design(),
                                       {.cache = backends::Cache(KUMIKI_TEST_TMP "/cache")});
  for (ir::Machine* machine :
       {static_cast<ir::Machine*>(&native), static_cast<ir::Machine*>(&verilated)}) {
    backends::Stimulus stimulus(all.ports, all.options);
    auto result =
        backends::run_lockstep(*model, *machine, stimulus, {.cycles = all.options.cycles});
    EXPECT_TRUE(result.passed()) << backends::report(all.builder.design(), result, "the netlist");
    EXPECT_EQ(result.cycles, 5000u);
    EXPECT_EQ(result.comparisons, 5000u * all.layers.size() * 3);
    EXPECT_GT(result.stimulus.stalled_cycles, 1000u);
  }
}

TEST(OperandStoreLockstep, SixtyFourRunsAtOnce) {
  AllStores all;
  auto result = backends::run_lanes([&] { return network_model(all.network); },
                                    all.builder.design(), 64, all.options, {.cycles = 1000});
  EXPECT_TRUE(result.passed()) << backends::report(all.builder.design(), result, "native");
}

TEST(OperandStoreLockstep, AChangedNetlistIsSeen) {
  std::vector<stored_dot::Plan> some = plans();
  std::erase_if(some,
                [](const auto& p) { return p.columns() == 1 && p.store.request.slices != 2; });
  AllStores all(some);
  std::vector<backends::Stimulus> runs;
  for (unsigned r = 0; r < 64; ++r) {
    auto options = all.options;
    options.seed = 100 + r;
    options.cycles = 300;
    runs.emplace_back(all.ports, options);
  }
  auto result = backends::try_mutations(
      all.builder.design(), [&] { return network_model(all.network); },
      [&](unsigned run, std::size_t, ir::Frame& in) { runs[run].next(in); },
      {.seed = 3, .count = 150, .cycles = 300, .survivor_cycles = 600});
  EXPECT_EQ(result.tried, 150u);
  EXPECT_GT(result.by_lockstep, 70u);
  EXPECT_GE(result.caught(), 0.95);
}

TEST(OperandStoreLockstep, AnyNumberOfSlicesAndColumns) {
  std::mt19937_64 rng(9);
  const auto below = [&](int end) { return static_cast<int>(rng() % static_cast<unsigned>(end)); };
  for (int k = 0; k < 60; ++k) {
    packing::StoreRequest request{.slices = 1 + below(20),
                                  .kind = static_cast<StoreKind>(below(2)),
                                  .enable = static_cast<StoreEnable>(below(2)),
                                  .side = static_cast<Side>(below(2))};
    request.preadder = request.side == Side::Shared && below(2) == 0;
    stored_dot::Plan plan = plan_of(request, 1 + below(12));
    plan.chains = 1 + below(3);
    std::vector<NamedLayer> layers;
    layers.push_back({"any", "stored_dot", {}, std::make_unique<StoredDotLayer>(plan)});
    Builder builder;
    const BuiltNetwork network = build_network(builder, "any_store", layers);
    backends::StimulusOptions options{.seed = rng(), .cycles = 800, .resets = 3};
    options.roles.emplace("any_swap", backends::Role::valid);
    auto result = backends::run_lanes([&] { return network_model(network); }, builder.design(), 8,
                                      options, {.cycles = 800});
    ASSERT_TRUE(result.passed()) << plan.module_name() << to_text(plan.store)
                                 << backends::report(builder.design(), result, "native");
  }
}

// The stimulus of the runs above does swap, in the middle of loads and of sums.
TEST(OperandStoreLockstep, TheStimulusSwapsAndStallsAndLoads) {
  for (const auto& plan : plans()) {
    const ir::PortLayout ports = [&] {
      Builder builder;
      return ir::layout(build_top(builder, stored_dot::build, plan, plan.input_shape()));
    }();
    backends::StimulusOptions options{.seed = 21, .cycles = 5000, .stall = 0.1, .resets = 12};
    options.roles.emplace("swap", backends::Role::valid);
    backends::Stimulus stimulus(ports, options);
    stored_dot::Model model(plan);
    stored_dot::In<Values> in;
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
    EXPECT_GT(swaps, 80) << plan.module_name();
    EXPECT_GT(moved, 1500) << plan.module_name();
  }
}

// Always offered, always swapped: the swaps come as often as the plan says, and not more often.
TEST(OperandStoreLockstep, SwapsFollowAtThePeriodOfThePlan) {
  for (const auto& plan : plans()) {
    Builder builder;
    build_top(builder, stored_dot::build, plan, plan.input_shape());
    backends::NativeMachine machine(builder.design());
    machine.power_up();
    stored_dot::In<Values> in{.rst = false, .en = true, .weight_valid = true, .swap = true};
    in.weights.assign(plan.input_shape().weights.size(), 5);
    in.x.assign(plan.input_shape().x.size(), 1);
    in.d.assign(plan.input_shape().d.size(), 1);
    stored_dot::Out<Values> out;
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
      EXPECT_EQ(swaps[k] - swaps[k - 1], plan.store.period) << plan.module_name();
  }
}

// No flip-flop holds a weight: what is outside the slices grows by a few bits a slice, whatever
// the width.
TEST(OperandStoreLockstep, FlipFlopsHoldNoWeights) {
  for (const auto& plan : plans()) {
    Builder builder;
    ir::Module& top = build_top(builder, stored_dot::build, plan, plan.input_shape());
    std::uint32_t flops = 0;
    for (const auto& cell : top.cells())
      if (cell.kind == ir::Kind::fdre) flops += cell.width;
    const bool skewed_columns =
        plan.store.request.enable == StoreEnable::Skewed && plan.columns() > 1;
    const std::uint32_t feed =
        skewed_columns ? 27u * 2 * static_cast<std::uint32_t>(plan.chains) : 0;
    EXPECT_LE(flops, 10 + feed + 3u * static_cast<std::uint32_t>(plan.store.request.slices))
        << plan.module_name();
  }
}

}  // namespace
}  // namespace kumiki::gen
