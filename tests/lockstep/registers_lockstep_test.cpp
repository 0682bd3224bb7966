// SPDX-License-Identifier: Apache-2.0
// Trees and neurons with registers where their paths ask for them: the same sums, and what the plan
// says of flip-flops, levels and period, as the estimate of the clock finds it in the netlist.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/lockstep/report.h"
#include "backends/sim/native/machine.h"
#include "backends/timing/analysis.h"
#include "gen/blocks/compressor/messages.h"
#include "gen/config/document.h"
#include "gen/layers/compressor/layer.h"
#include "gen/layers/neuron/neuron.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen {
namespace registers_lockstep_test {

using namespace compressor;

struct Asked {
  std::string what;
  std::unique_ptr<Layer> layer;
  std::shared_ptr<const Placement> placement;
  double period_ns = 0;  // asked for; 0: levels were
};

Asked sum(const std::string& what, const SumSpec& spec, const TreeOptions& o) {
  SumPlan plan = plan_sum(spec, o);
  auto placement = plan.placement;
  return {what, make_sum_layer(std::move(plan)), placement, o.period_ns.value_or(0)};
}

Asked neuron_layer(neuron::NeuronRequest r, const TreeOptions& o) {
  static_cast<TreeOptions&>(r) = o;
  auto plan = neuron::plan_neuron(r);
  auto placement = plan.placement;
  const std::string what = fmt::format("neuron of {}, form {}", r.inputs, name(r.form));
  return {what, neuron::make_planned(std::move(plan)), placement, o.period_ns.value_or(0)};
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  unsigned operator()(unsigned low, unsigned high) {
    return std::uniform_int_distribution<unsigned>(low, high)(random_);
  }

 private:
  std::mt19937_64 random_;
};

TreeOptions some_options(Random& any) {
  constexpr ir::Family families[] = {ir::Family::series7, ir::Family::ultrascale,
                                     ir::Family::ultrascale_plus};
  constexpr double periods[] = {3.5, 2.0, 1.2};
  constexpr Objective objectives[] = {Objective::stages, Objective::luts, Objective::area,
                                      Objective::delay};
  const unsigned family = any(0, 2);
  TreeOptions o{.objective = objectives[test::long_form() ? any(0, 3) : 0], .effort = 0};
  o.family = families[family];
  o.grade = {static_cast<int>(any(1, 3))};
  if (any(0, 1))
    o.levels = any(2, 5);
  else
    o.period_ns = periods[family] * any(100, 160) / 100;
  return o;
}

Asked some_layer(Random& any) {
  const TreeOptions o = some_options(any);
  const bool is_signed = any(0, 1);
  switch (any(0, 5)) {
    case 0:
      return sum("popcount", spec(PopcountRequest{{}, any(1, 70)}), o);
    case 1:
      return sum("multiplier", spec(MultiplierRequest{{}, any(2, 7), any(1, 7), is_signed}), o);
    case 2:
      return sum("products",
                 spec(SumOfProductsRequest{{}, any(1, 4), any(2, 4), any(2, 4), is_signed}), o);
    case 3:
      return sum("agreements", spec(XnorPopcountRequest{{}, any(2, 40), Reading::bipolar}), o);
    case 4: {
      CompressorRequest r;
      for (unsigned i = any(1, 3); i > 0; --i)
        r.operands.push_back({.count = any(1, 5),
                              .bits = any(1, 7),
                              .column = any(0, 3),
                              .is_signed = any(0, 1) == 1,
                              .factor = static_cast<int>(any(1, 7)) - 4});
      r.constant = static_cast<int>(any(0, 200)) - 100;
      return sum("heap", spec(r), o);
    }
    default: {
      neuron::NeuronRequest r;
      r.inputs = any(1, 50);
      r.form = neuron::Form(any(0, 2));
      if (any(0, 1)) r.threshold = any(0, r.inputs + 1);
      if (any(0, 1)) {
        r.weights.emplace();
        for (std::uint32_t i = 0; i < r.inputs; ++i)
          r.weights->push_back(static_cast<std::uint8_t>(any(0, 1)));
      }
      return neuron_layer(r, o);
    }
  }
}

void expect_kept(const Asked& asked, ir::Family family, ir::timing::Grade grade) {
  ASSERT_TRUE(asked.placement);
  const Placement& p = *asked.placement;
  EXPECT_EQ(asked.layer->facts().latency, p.latency);
  Builder builder(family);
  builder.design().set_top(asked.layer->build(builder, {}).id());
  const ir::Design& design = builder.design();

  std::uint64_t flip_flops = 0;
  for (const ir::Cell& c : design.top().cells()) flip_flops += ir::is_flop(c.kind) ? c.width : 0;
  EXPECT_EQ(flip_flops, p.flip_flops + p.latency) << "one a clock says whether data are valid";

  const backends::timing::Netlist netlist(design);
  const auto clock = analyse(netlist, {.grade = grade});
  EXPECT_LE(clock.worst, p.period);
  if (asked.period_ns > 0) {
    EXPECT_LE(p.period, std::lround(asked.period_ns * 1000));
  }
  EXPECT_LE(static_cast<int>(clock.depth.total()), p.levels);
  EXPECT_EQ(asked.layer->facts().levels, p.levels);

  const auto model = asked.layer->model();
  backends::NativeMachine native(design);
  constexpr std::uint32_t cycles = 400;
  backends::Stimulus stimulus(ir::layout(design.top()),
                              {.seed = 5, .cycles = cycles, .stall = 0.3});
  const auto result = backends::run_lockstep(*model, native, stimulus, {.cycles = cycles});
  EXPECT_TRUE(result.passed()) << backends::report(design, result, "the netlist");
  EXPECT_GT(result.stimulus.stalls, 0u);
}

TEST(RegistersLockstep, AnyHeapKeepsWhatItsPlanSays) {
  Random any(test::rotating_seed());
  const unsigned wanted = test::long_form() ? 1000 : 15;
  unsigned kept = 0, refused = 0;
  while (kept < wanted && !HasFailure()) {
    Random before = any;
    const TreeOptions o = some_options(before);
    try {
      const Asked asked = some_layer(any);
      SCOPED_TRACE(fmt::format("{} number {}: {} levels, {} ns, objective {}, {} -{}", asked.what,
                               kept + refused, o.levels.value_or(0), o.period_ns.value_or(0),
                               name(o.objective), ir::family_name(o.family), o.grade.value));
      expect_kept(asked, o.family, o.grade);
      ++kept;
    } catch (const config::Refusal& r) {
      EXPECT_EQ(r.violation().code, code::chain_too_long) << r.what();
      ++refused;
    }
  }
  EXPECT_LT(refused, 2 * wanted);
}

// Rows that are LUTs of their own count as a level.
TEST(RegistersLockstep, RecodedProductsAreKept) {
  for (const bool is_signed : {false, true}) {
    TreeOptions o{.levels = 2, .objective = Objective::delay};
    const Asked asked = sum("multiplier", spec(MultiplierRequest{{}, 16, 16, is_signed}), o);
    expect_kept(asked, ir::Family::series7, {});
    EXPECT_LE(asked.placement->levels, 2 + 8) << "a chain of 32 positions has eight blocks";
  }
}

// The least that a refusal names works, and less does not.
TEST(RegistersLockstep, TheLeastThatARefusalNamesWorks) {
  for (const auto family : {ir::Family::series7, ir::Family::ultrascale_plus}) {
    TreeOptions o{.period_ns = 0.5, .effort = 0};
    o.family = family;
    const SumSpec product = spec(MultiplierRequest{{}, 8, 8, true});
    std::string least;  // "must be at least 0.95"
    try {
      plan_sum(product, o);
      ADD_FAILURE() << "half a nanosecond is enough";
    } catch (const config::Refusal& r) {
      least = r.violation().required;
    }
    o.period_ns = std::stod(least.substr(least.rfind(' ') + 1));
    const Asked asked = sum("multiplier", product, o);
    expect_kept(asked, family, {});
    EXPECT_EQ(asked.placement->period, static_cast<Picoseconds>(std::lround(*o.period_ns * 1000)));
    *o.period_ns -= 0.001;
    EXPECT_THROW(plan_sum(product, o), config::Refusal);
  }
}

// Three digits of a nanosecond are whole picoseconds, also where the product is a little less.
TEST(RegistersLockstep, APeriodIsTakenToThePicosecond) {
  EXPECT_LT(1.001 * 1000, 1001);
  for (Picoseconds ps = 100; ps < 4000; ++ps)
    ASSERT_EQ(between({.period_ns = ps / 1000.0}).period, ps);
}

}  // namespace registers_lockstep_test
}  // namespace kumiki::gen
