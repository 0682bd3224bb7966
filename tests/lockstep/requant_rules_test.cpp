// SPDX-License-Identifier: Apache-2.0
// Requantisation by named rules: netlists against the rules at every step of every channel, in both
// simulators, with wrong cells, and any request that is not refused.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gen/layers/requant/channels.h"
#include "gen/layers/requant/layer.h"
#include "ir/error.h"
#include "tests/support/cache.h"
#include "tests/support/network_rig.h"
#include "tests/support/seed.h"

namespace kumiki::gen {
namespace requant_rules_test {

using requant::Activation;
using requant::ChannelPlan;
using requant::Machine;
using requant::Request;
using requant::Rule;
using requant::Sign;

std::vector<double> many() {
  std::vector<double> scales;
  for (int c = 0; c < 70; ++c) scales.push_back(0.00071234 + 0.0000013 * c);
  return scales;
}

std::vector<Request> requests() {
  return {
      // One slice: a power of two with ties to even, an odd zero point; channels with shifts of
      // their own; two offsets of TFLite.
      {.accumulator_bits = 16, .rule = Rule::onnxruntime, .scale = 0.125},
      {.accumulator_bits = 16, .rule = Rule::onnxruntime, .scale = 0.0625, .zero_point = 3},
      {.accumulator = {{-900, 1200}},
       .rule = Rule::onnxruntime,
       .scale = std::vector<double>{0.3125, 0.07123, 0.25, 0.5001, 0.0123},
       .zero_point = -7},
      {.accumulator_bits = 18,
       .rule = Rule::tflite,
       .multiplier = std::vector<std::int64_t>{1518500250, 1073741824, 2147483647},
       .shift = std::vector<std::int64_t>{6, 9, 3},
       .zero_point = 12,
       .result_sign = Sign::is_unsigned},
      {.accumulator_bits = 8, .rule = Rule::tflite, .multiplier = 1634567890, .shift = -3},
      // Far apart: in the second one two shifts are wired.
      {.accumulator_bits = 14,
       .rule = Rule::tflite,
       .multiplier = std::vector<std::int64_t>{1518500251, 1718500253, 1618500277},
       .shift = std::vector<std::int64_t>{-4, 5, 15}},
      {.accumulator_bits = 18,
       .rule = Rule::tflite,
       .multiplier = std::vector<std::int64_t>{2000000011, 1234567891},
       .shift = std::vector<std::int64_t>{2, 9},
       .zero_point = -2},
      // Two slices, the accumulator or the factor in parts; four.
      {.accumulator_bits = 18,
       .rule = Rule::tflite,
       .multiplier = std::vector<std::int64_t>{1618033989, 1732050809},
       .shift = std::vector<std::int64_t>{3, 3},
       .zero_point = -5,
       .result_bits = 15},
      {.accumulator_bits = 27,
       .rule = Rule::tflite,
       .multiplier = 2000000011,
       .shift = 17,
       .zero_point = -100,
       .result_bits = 10},
      {.accumulator_bits = 24, .rule = Rule::tflite, .multiplier = 1234567890, .shift = 15},
      {.accumulator_bits = 22, .rule = Rule::onnxruntime, .scale = 0.0009765625, .zero_point = 5},
      // One slice that takes a part of the accumulator: low bits that choose an offset, near ties
      // with an even and an odd zero point, two shifts, exceptions, tables in a block memory.
      {.accumulator_bits = 24,
       .rule = Rule::onnxruntime,
       .scale = std::vector<double>{0.0103, 0.0171, 0.0187},
       .zero_point = 128,
       .result_sign = Sign::is_unsigned},
      {.accumulator_bits = 24,
       .rule = Rule::onnxruntime,
       .scale = std::vector<double>{0.25, 0.000271},
       .zero_point = 3},
      {.accumulator_bits = 24,
       .rule = Rule::onnxruntime,
       .scale = 0.00051234,
       .zero_point = 255,
       .result_sign = Sign::is_unsigned},
      {.accumulator_bits = 22,
       .rule = Rule::onnxruntime,
       .scale = std::vector<double>{0.0069528413, 0.00876404531, 0.0087452475},
       .result_sign = Sign::is_unsigned},
      {.accumulator_bits = 20, .rule = Rule::onnxruntime, .scale = many(), .zero_point = -128},
      // A float lane.
      {.accumulator_bits = 18,
       .rule = Rule::onnxruntime,
       .scale = std::vector<double>{0.3, 0.00123},
       .zero_point = 128,
       .result_sign = Sign::is_unsigned},
      {.accumulator_bits = 20,
       .rule = Rule::onnxruntime,
       .scale = 0.3,
       .zero_point = -5,
       .result_bits = 4},
      // As near as 12 bits come.
      {.accumulator_bits = 18,
       .rule = Rule::onnxruntime,
       .scale = std::vector<double>{0.0123, 0.00251},
       .factor_bits = 12,
       .exact = false,
       .zero_point = 3}};
}

// Without those that the family's slices cannot do.
std::vector<Request> requests_of(ir::Family family) {
  std::vector<Request> all;
  for (Request r : requests()) {
    r.limits = packing::Limits::of(family);
    try {
      (void)requant::plan_channels(r);
      all.push_back(r);
    } catch (const config::Refusal&) {
    }
  }
  return all;
}

struct AllRules : test::NetworkRig {
  explicit AllRules(ir::Family family = ir::Family::ultrascale_plus)
      : NetworkRig(test::layers_of("requant", requests_of(family), requant::make_layer), family) {
    options.stall = 0.15;
    options.resets = 12;
  }
};

TEST(RequantRules, AllFormsAreThere) {
  std::set<Machine> machines;
  bool two_offsets = false, ties = false, two_shifts = false, unequal = false;
  bool factor_in_parts = false, accumulator_in_parts = false;
  bool near_even = false, near_odd = false, near_in_luts = false, low_bits = false;
  bool outside = false, exceptions = false, tables_in_memory = false;
  for (const Request& r : requests()) {
    const ChannelPlan p = requant::plan_channels(r);
    machines.insert(p.machine);
    two_offsets |= p.has_two_offsets();
    ties |= p.has_ties();
    two_shifts |= p.shifts.size() > 1;
    unequal |= !p.unequal.empty();
    factor_in_parts |= p.splits_factor && !p.splits_accumulator;
    accumulator_in_parts |=
        p.splits_accumulator && !p.splits_factor && p.machine == Machine::two_slices;
    if (!p.narrow) continue;
    const bool odd = (p.zero_point() & 1) != 0;
    near_even |= p.has_ties() && p.detects_ties() && !odd;
    near_odd |= p.has_ties() && p.detects_ties() && odd;
    near_in_luts |= p.has_ties() && !p.detects_ties();
    low_bits |= p.narrow->low_bits > 0;
    outside |= p.has_outside();
    exceptions |= p.has_exceptions();
    tables_in_memory |= p.channel_bits > requant::index_bits_of_a_lut && p.narrow->low_bits > 0;
  }
  EXPECT_EQ(machines.size(), 4u);
  EXPECT_TRUE(factor_in_parts);
  EXPECT_TRUE(accumulator_in_parts);
  EXPECT_TRUE(two_offsets);
  EXPECT_TRUE(ties);
  EXPECT_TRUE(two_shifts);
  EXPECT_TRUE(unequal);
  EXPECT_TRUE(near_even);
  EXPECT_TRUE(near_odd);
  EXPECT_TRUE(near_in_luts);
  EXPECT_TRUE(low_bits);
  EXPECT_TRUE(outside);
  EXPECT_TRUE(exceptions);
  EXPECT_TRUE(tables_in_memory);
}

TEST(RequantRules, OnTheNativeSimulatorAndOnVerilator) {
  AllRules all;
  for (const auto& result : {all.run_native(6000), all.run_verilated(6000, test::shared_cache)}) {
    EXPECT_EQ(result.comparisons, 6000u * all.layers.size() * 2);
    EXPECT_GT(result.stimulus.stalled_cycles, 500u);
  }
}

TEST(RequantRules, OnThe7Series) {
  AllRules all(ir::Family::series7);
  // Only an offset of more than 48 bits has no place there.
  EXPECT_EQ(all.layers.size() + 1, requests().size());
  EXPECT_EQ(ir::check(all.design(), {.warnings = false}).size(), 0u);
  all.run_native(6000);
  std::set<Machine> machines;
  for (const Request& r : requests_of(ir::Family::series7))
    machines.insert(requant::plan_channels(r).machine);
  EXPECT_EQ(machines.size(), 4u);
}

TEST(RequantRules, SixtyFourRunsAtOnce) { AllRules().run_lanes(1000); }

TEST(RequantRules, AChangedNetlistIsSeen) { AllRules().expect_mutants_seen(55); }

Request any_rule(std::mt19937_64& rng) {
  const auto below = [&](int end) { return static_cast<int>(rng() % static_cast<unsigned>(end)); };
  Request r{.rule = below(2) == 0 ? Rule::onnxruntime : Rule::tflite};
  if (below(3) == 0) {
    const std::int64_t a = below(1 << 18) - (1 << 17), b = below(1 << 18) - (1 << 17);
    r.accumulator = {{std::min(a, b), std::max(a, b)}};
  } else {
    r.accumulator_bits = 4 + below(20);
  }
  const int channels = 1 + below(9);
  std::vector<double> scales;
  std::vector<std::int64_t> multipliers, shifts;
  for (int c = 0; c < channels; ++c) {
    // Decimal ones tie in float32 where they do not in integers.
    const int kind = below(4);
    scales.push_back(kind == 0   ? std::ldexp(2 * below(4) + 1, -below(14))
                     : kind == 1 ? 0.1 * (1 + below(9))
                                 : std::ldexp(1 + below(1 << 23) * 0x1p-23, -below(14)));
    multipliers.push_back((1LL << 30) + below(1 << 30));
    shifts.push_back(below(18) - 3);
  }
  if (r.rule == Rule::onnxruntime) {
    r.scale = scales;
  } else {
    r.multiplier = multipliers;
    r.shift = shifts;
  }
  r.result_bits = 2 + below(r.rule == Rule::onnxruntime ? 7 : 12);
  r.result_sign = static_cast<Sign>(below(2));
  const int half = r.result_sign == Sign::is_signed ? 1 << (r.result_bits - 1) : 0;
  r.zero_point = below(1 << r.result_bits) - half;
  if (below(3) == 0) r.activation = static_cast<Activation>(1 + below(2));
  if (r.activation == Activation::relu6) r.six = 1 + below(60);
  if (below(6) == 0) {
    r.factor_bits = 4 + below(20);
    r.exact = false;
  }
  return r;
}

TEST(RequantRules, WhateverIsNotRefusedIsRight) {
  std::mt19937_64 rng(test::rotating_seed());
  int planned = 0, refused = 0, narrow = 0, exceptions = 0;
  std::map<Machine, int> machines;
  while (planned < 60) {
    Request request = any_rule(rng);
    const auto family = rng() % 2 == 0 ? ir::Family::ultrascale_plus : ir::Family::series7;
    request.limits = packing::Limits::of(family);
    std::vector<NamedLayer> layers;
    try {
      layers.push_back({"r", "requant", {}, requant::make_layer(request)});
      const ChannelPlan plan = requant::plan_channels(request);
      ++machines[plan.machine];
      narrow += plan.narrow ? 1 : 0;
      exceptions += plan.has_exceptions() ? 1 : 0;
    } catch (const config::Refusal&) {
      ASSERT_LT(++refused, 200);
      continue;
    }
    ++planned;
    Builder builder(family);
    const BuiltNetwork network = build_network(builder, "any", layers);
    backends::StimulusOptions options{.seed = rng(), .cycles = 400};
    options.constrain = drive(network);
    auto result = backends::run_lanes([&] { return network_model(network); }, builder.design(), 8,
                                      options, {.cycles = 400});
    ASSERT_TRUE(result.passed()) << layers[0].layer->plan_text()
                                 << backends::report(builder.design(), result, "native");
  }
  EXPECT_GT(machines[Machine::one_slice], 8);
  EXPECT_GT(machines[Machine::two_slices], 1);
  EXPECT_GT(narrow, 8);
  EXPECT_GT(exceptions, 0);
}

}  // namespace requant_rules_test
}  // namespace kumiki::gen
