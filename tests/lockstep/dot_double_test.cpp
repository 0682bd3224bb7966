// SPDX-License-Identifier: Apache-2.0
// Packed dot products whose slices run at twice the clock of their ports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/emit/verilog_netlist.h"
#include "backends/sim/icarus/icarus.h"
#include "gen/layers/dot/layer.h"
#include "gen/layers/dot/plan.h"
#include "ir/resources.h"
#include "tests/support/cache.h"
#include "tests/support/network_rig.h"

namespace kumiki::gen {
namespace dot_double_test {

using dot::Clocking;
using packing::Scheme;
using packing::Skew;
using ::testing::HasSubstr;

struct Case {
  std::string name;
  dot::Request request;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

dot::Operand operand(int bits, bool is_signed) { return {.bits = bits, .is_signed = is_signed}; }

std::vector<Case> cases() {
  const auto s4 = operand(4, true), u4 = operand(4, false), u8 = operand(8, false);
  return {{"wp487_int8", {.scheme = Scheme::Wp487Int8}},
          {"wp487_int8_lut", {.scheme = Scheme::Wp487Int8Lut}},
          {"wp487_uint8_dsp", {.scheme = Scheme::Wp487Uint8Dsp, .packed = u8}},
          {"offset_binary", {.scheme = Scheme::OffsetBinary}},
          {"shared_drain", {.scheme = Scheme::SharedDrain}},
          {"carry_lane", {.scheme = Scheme::CarryLane}},
          {"canary_4x4", {.scheme = Scheme::Canary, .packed = s4, .shared = u4}},
          {"four_lane_offset",
           {.scheme = Scheme::FourLane, .packed = s4, .shared = u4, .offset_results = true}},
          {"single", {.scheme = Scheme::Single, .packed = operand(27, true)}}};
}

std::vector<NamedLayer> layers_of(const dot::Request& request,
                                  const std::vector<std::int64_t>& lengths) {
  std::vector<NamedLayer> all;
  for (const std::int64_t n : lengths)
    for (const Skew skew : {Skew::Internal, Skew::External}) {
      dot::Request r = request;
      r.terms = n;
      r.skew = skew;
      r.clocking = Clocking::twice;
      try {
        all.push_back({fmt::format("n{}{}", n, skew == Skew::External ? "e" : "i"),
                       "dot",
                       {},
                       dot::make_layer(r)});
      } catch (const config::Refusal&) {
        // Not every scheme takes every length in one clock.
      }
    }
  return all;
}

struct DoubleDots : test::NetworkRig {
  DoubleDots(const dot::Request& request, const std::vector<std::int64_t>& lengths)
      : NetworkRig(layers_of(request, lengths)) {
    options.stall = 0.25;
    options.resets = 6;
  }
  void expect_results(const backends::LockstepResult& result) const {
    EXPECT_GT(result.comparisons, result.cycles * layers.size());
  }
};

class DoubleDot : public ::testing::TestWithParam<Case> {};

TEST_P(DoubleDot, OnTheNativeSimulator) {
  DoubleDots dots(GetParam().request, {1, 2, 5, 7, 16, 33});
  ASSERT_FALSE(dots.layers.empty());
  EXPECT_EQ(ir::check(dots.design(), {.warnings = false}).size(), 0u);
  dots.expect_results(dots.run_native(800));
}

INSTANTIATE_TEST_SUITE_P(Double, DoubleDot, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(DotDouble, OnVerilatorAndIcarus) {
  DoubleDots dots({.scheme = Scheme::SharedDrain}, {2, 7, 16});
  dots.expect_results(dots.run_verilated(600, test::shared_cache));
  dots.options.cycles = 200;
  const auto inputs = backends::frames(dots.ports, dots.options, dots.options.cycles);
  backends::RecordedMachine icarus(
      inputs, backends::run_icarus(backends::verilog_netlist(dots.design()), inputs, {}));
  dots.expect_results(dots.run(icarus, 200));
}

TEST(DotDouble, MistakesAreCaught) {
  DoubleDots dots({.scheme = Scheme::Wp487Int8}, {5});
  const auto result = dots.mutate(80, 200, 500);
  EXPECT_GT(result.by_lockstep, 10u);
  for (const auto& m : result.missed)
    ADD_FAILURE() << "missed: " << backends::to_string(dots.design(), m);
}

// Values worked by hand: x = (2, -3), y = 5 in the first half and -7 in the second one.
TEST(DotDouble, FourProductsOfOneSlice) {
  const auto plan =
      *dot::plan({.scheme = Scheme::Wp487Int8, .terms = 1, .clocking = Clocking::twice});
  ASSERT_EQ(plan.packing.slices.size(), 1u);
  std::vector<NamedLayer> layers;
  layers.push_back(
      {"d",
       "dot",
       {},
       dot::make_layer({.scheme = Scheme::Wp487Int8, .terms = 1, .clocking = Clocking::twice})});
  Builder builder;
  const auto network = build_network(builder, "one", layers);
  backends::NativeMachine native(builder.design());
  dot::DotIn<Values> in{.rst = false, .en = true, .in_valid = true, .x = {2, 0xfd}, .y = {5, 0xf9}};
  ir::Frame frame, got;
  pack(plan.input_shape(), in, frame);
  native.power_up();
  for (std::uint32_t t = 0; t <= plan.latency(); ++t) {
    native.step(frame, got);
    frame.assign(frame.size(), 0);
    in.in_valid = false;
    in.x = in.y = {0, 0};
    pack(plan.input_shape(), in, frame);
  }
  dot::DotOut<Values> out;
  unpack(plan.output_shape(), got, out);
  ASSERT_TRUE(out.out_valid);
  std::vector<std::int64_t> sums;
  for (std::size_t i = 0; i < out.sum.size(); ++i)
    sums.push_back(packing::value_of(out.sum[i], plan.results()[i].format()));
  EXPECT_THAT(sums, ::testing::ElementsAre(10, -15, -14, 21));
}

TEST(DotDouble, TwiceTheProductsForHalfALutABit) {
  const auto count = [](Clocking clocking) {
    std::vector<NamedLayer> layers;
    layers.push_back({"d",
                      "dot",
                      {},
                      dot::make_layer({.scheme = Scheme::SharedDrain,
                                       .terms = 64,
                                       .skew = Skew::External,
                                       .clocking = clocking})});
    Builder builder;
    build_network(builder, "c", layers);
    return ir::count_resources(builder.design()).total;
  };
  const auto single = count(Clocking::single), twice = count(Clocking::twice);
  EXPECT_EQ(single.dsps, twice.dsps);
  // A LUT for two bits of y, and two for the phase register: one LUT for each product more.
  EXPECT_EQ(twice.luts, single.luts + 64 * 8 / 2 + 2);
  const auto plan = *dot::plan({.scheme = Scheme::SharedDrain,
                                .terms = 64,
                                .skew = Skew::External,
                                .clocking = Clocking::twice});
  EXPECT_GE(plan.macs_per_slice(), 3.75);
  EXPECT_THAT(to_text(plan), HasSubstr("MAC a slice and clock of the fabric"));
}

TEST(DotDouble, WhatCannotBeIsRefused) {
  const auto refusal = [](const dot::Request& request) {
    return dot::plan(request).reason().message;
  };
  dot::Request known{.terms = 2, .clocking = Clocking::twice};
  known.shared.values = {{3, -4}};
  EXPECT_THAT(refusal(known),
              HasSubstr("with double clocking only the packed operands may be known"));
  dot::Request folded{.scheme = Scheme::Wp487Int8Lut, .terms = 6, .clocking = Clocking::twice};
  folded.cycles = 3;
  EXPECT_THAT(refusal(folded), HasSubstr("use 1 cycle with it"));
}

}  // namespace dot_double_test
}  // namespace kumiki::gen
