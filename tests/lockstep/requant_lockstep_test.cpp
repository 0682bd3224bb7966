// SPDX-License-Identifier: Apache-2.0
// Requantising layers of every kind in lockstep with their model: both simulators, random and
// corner stimuli with ties and neighbours of the clamp, and netlists that are wrong in one place.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gen/layers/requant/layer.h"
#include "ir/error.h"
#include "tests/support/cache.h"
#include "tests/support/network_rig.h"
#include "tests/support/seed.h"

namespace kumiki::gen {
namespace requant_lockstep_test {

using gen::Rounding;
using requant::Activation;
using requant::Request;
using requant::Sign;

std::vector<Request> requests() {
  std::vector<Request> all;
  for (const Rounding rounding : {Rounding::half_even, Rounding::half_away, Rounding::half_up,
                                  Rounding::down, Rounding::to_zero, Rounding::up}) {
    all.push_back({.accumulator_bits = 24, .scale = 0.00123, .rounding = rounding});
    all.push_back({.accumulator_bits = 26,
                   .scale = -0.00123,
                   .rounding = rounding,
                   .zero_point = 5,
                   .result_sign = Sign::is_unsigned});
    all.push_back({.accumulator_bits = 24, .shift = 20, .rounding = rounding, .zero_point = -3});
    all.push_back({.accumulator_bits = 22, .bias_bits = 24, .shift = 16, .rounding = rounding});
    all.push_back({.accumulator_bits = 20,
                   .bias_bits = 18,
                   .scale = 0.0371,
                   .rounding = rounding,
                   .zero_point = -3,
                   .activation = Activation::relu6,
                   .six = 100});
    all.push_back({.accumulator_bits = 20,
                   .shift = 12,
                   .rounding = rounding,
                   .zero_point = 7,
                   .result_sign = Sign::is_unsigned,
                   .clamp = {{3, 200}},
                   .activation = Activation::relu});
    all.push_back({.accumulator_bits = 27, .shift = 30, .rounding = rounding, .result_bits = 18});
    all.push_back(
        {.accumulator = {{-900, 900}}, .scale = 0.125, .shift = 10, .rounding = rounding});
    all.push_back({.accumulator = {{-900, 900}}, .scale = 0.125, .shift = 3, .rounding = rounding});
    all.push_back({.accumulator_bits = 12, .scale = 3.0, .shift = 0, .rounding = rounding});
    if (rounding == Rounding::half_even) continue;
    all.push_back({.accumulator_bits = 20,
                   .bias_bits = 20,
                   .shift = 12,
                   .rounding = rounding,
                   .zero_point_bits = 8,
                   .result_bits = 4});
    all.push_back(
        {.accumulator_bits = 20, .shift = 12, .rounding = rounding, .zero_point_bits = 8});
  }
  return all;
}

// Those that slices of the 7 series can do: their factor A has 25 bits.
std::vector<Request> for_the_7_series() {
  std::vector<Request> all;
  for (Request r : requests()) {
    r.limits = packing::Limits::of(ir::Family::series7);
    if (r.accumulator_bits.value_or(0) <= r.limits.wide_bits) all.push_back(r);
  }
  return all;
}

struct AllRequants : test::NetworkRig {
  explicit AllRequants(const std::vector<Request>& all = requests(),
                       ir::Family family = ir::Family::ultrascale_plus)
      : NetworkRig(test::layers_of("requant", all, requant::make_layer), family) {
    options.stall = 0.15;
    options.resets = 12;
  }
  void expect_results(const backends::LockstepResult& result) const {
    EXPECT_EQ(result.comparisons, 4000u * layers.size() * 2);
    EXPECT_GT(result.stimulus.stalled_cycles, 1000u);
    EXPECT_GT(result.stimulus.stalled_resets, 0u);
  }
};

TEST(RequantLockstep, EveryKindOnTheNativeSimulator) {
  AllRequants all;
  all.expect_results(all.run_native(4000));
}

TEST(RequantLockstep, EveryKindOnThe7Series) {
  AllRequants all(for_the_7_series(), ir::Family::series7);
  EXPECT_GT(all.layers.size(), 40u);
  EXPECT_EQ(ir::check(all.design(), {.warnings = false}).size(), 0u);
  all.expect_results(all.run_native(4000));
}

TEST(RequantLockstep, EveryKindOnVerilator) {
  AllRequants some(test::this_time(requests(), 4));
  some.expect_results(some.run_verilated(4000, test::shared_cache));
}

TEST(RequantLockstep, SixtyFourRunsAtOnce) { AllRequants().run_lanes(1000); }

Request any_request(std::mt19937_64& rng) {
  const auto below = [&](int end) { return static_cast<int>(rng() % static_cast<unsigned>(end)); };
  Request r;
  if (below(3) == 0) {
    const std::int64_t a = below(1 << 20) - (1 << 19), b = below(1 << 20) - (1 << 19);
    r.accumulator = {{std::min(a, b), std::max(a, b)}};
  } else {
    r.accumulator_bits = 2 + below(26);
  }
  if (below(3) == 0) r.bias_bits = 1 + below(26);
  if (below(2) == 0) r.scale = (below(2) == 0 ? 1 : -1) * std::ldexp(1 + below(131071), -below(40));
  if (!r.scale || below(3) == 0) r.shift = below(41);
  r.rounding = static_cast<Rounding>(below(4));
  if (below(4) == 0)
    r.zero_point_bits = 1 + below(10);
  else
    r.zero_point = below(2) == 0 ? 0 : below(300) - 150;
  r.result_bits = 2 + below(17);
  r.result_sign = static_cast<Sign>(below(2));
  if (below(3) == 0) {
    const std::int64_t a = below(1 << r.result_bits), b = below(1 << r.result_bits);
    const std::int64_t half = r.result_sign == Sign::is_signed ? 1 << (r.result_bits - 1) : 0;
    r.clamp = {{std::min(a, b) - half, std::max(a, b) - half}};
  }
  if (below(3) == 0) r.activation = static_cast<Activation>(1 + below(2));
  if (r.activation == Activation::relu6) r.six = 1 + below(200);
  return r;
}

TEST(RequantLockstep, WhateverIsNotRefusedIsRight) {
  std::mt19937_64 rng(77);
  int planned = 0, refused = 0;
  while (planned < 400) {
    Request request = any_request(rng);
    const auto family = rng() % 2 == 0 ? ir::Family::ultrascale_plus : ir::Family::series7;
    request.limits = packing::Limits::of(family);
    std::vector<NamedLayer> layers;
    try {
      layers.push_back({"r", "requant", {}, requant::make_layer(request)});
    } catch (const config::Refusal&) {
      ++refused;
      continue;
    }
    ++planned;
    Builder builder(family);
    const BuiltNetwork network = build_network(builder, "any", layers);
    backends::StimulusOptions options{.seed = rng(), .cycles = 300};
    options.constrain = drive(network);
    auto result = backends::run_lanes([&] { return network_model(network); }, builder.design(), 8,
                                      options, {.cycles = 300});
    ASSERT_TRUE(result.passed()) << layers[0].layer->plan_text()
                                 << backends::report(builder.design(), result, "native");
  }
  EXPECT_GT(refused, 20);
}

TEST(RequantLockstep, AChangedNetlistIsSeen) { AllRequants().expect_mutants_seen(70); }

}  // namespace requant_lockstep_test
}  // namespace kumiki::gen
