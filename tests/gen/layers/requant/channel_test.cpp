// SPDX-License-Identifier: Apache-2.0
// Named rules: keys and refusals, plans, and every accumulator of every channel on the netlist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backends/sim/native/machine.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/requant/build.h"
#include "gen/layers/requant/layer.h"

namespace kumiki::gen::requant {
namespace requant_channel_test {

using ::testing::HasSubstr;

using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

std::string refused(const Request& r) {
  try {
    (void)make_layer(r);
  } catch (const config::Refusal& refusal) {
    const auto& v = refusal.violation();
    return v.key + " " + v.message + "; " + v.required;
  }
  return "planned";
}

TEST(RequantChannels, KeysThatSayNothingAreRefused) {
  const Request onnx{.accumulator_bits = 12, .rule = Rule::onnxruntime, .scale = 0.3};
  const Request tflite{
      .accumulator_bits = 12, .rule = Rule::tflite, .multiplier = 1 << 30, .shift = 4};
  EXPECT_EQ(refused(onnx), "planned");
  EXPECT_EQ(refused(tflite), "planned");
  const auto with = [](Request r, auto change) {
    change(r);
    return refused(r);
  };
  EXPECT_EQ(with(onnx, [](Request& r) { r.bias_bits = 4; }),
            "bias_bits has no effect on a named rule; omit it: only rule \"scaled\" has it");
  EXPECT_THAT(with(onnx, [](Request& r) { r.rounding = Rounding::half_up; }),
              HasSubstr("rounding has no effect"));
  EXPECT_THAT(with(onnx, [](Request& r) { r.zero_point_bits = 4; }),
              HasSubstr("zero_point_bits has no effect"));
  EXPECT_THAT(with(onnx, [](Request& r) { r.multiplier = 1 << 30; }),
              HasSubstr("multipliers has no effect"));
  EXPECT_THAT(with(onnx, [](Request& r) { r.shift = 3; }), HasSubstr("shift has no effect"));
  EXPECT_THAT(with(onnx, [](Request& r) { r.scale.reset(); }), HasSubstr("scale is missing"));
  EXPECT_THAT(with(onnx, [](Request& r) { r.scale = -0.5; }),
              HasSubstr("scale makes a scale of -0.5"));
  EXPECT_THAT(
      with(onnx, [](Request& r) { r.zero_point = 128; }),
      HasSubstr("zero_point makes a zero point of 128; the zero point must be within [-128, 127]"));
  EXPECT_THAT(with(onnx, [](Request& r) { r.scale = Doubles{}; }),
              HasSubstr("scale has 0 channels"));
  EXPECT_THAT(with(onnx,
                   [](Request& r) {
                     r.accumulator = {{0, 1}};
                   }),
              HasSubstr("a second range"));
  EXPECT_THAT(with(tflite, [](Request& r) { r.scale = 0.5; }), HasSubstr("scale has no effect"));
  EXPECT_THAT(with(tflite, [](Request& r) { r.multiplier.reset(); }),
              HasSubstr("multipliers is missing"));
  EXPECT_THAT(with(tflite, [](Request& r) { r.shift.reset(); }), HasSubstr("shift is missing"));
  EXPECT_THAT(
      with(tflite, [](Request& r) { r.multiplier = 5; }),
      HasSubstr(
          "multipliers makes a multiplier of 5; the multiplier must be from 2^30 to 2^31 - 1"));
  EXPECT_EQ(with(tflite, [](Request& r) { r.shift = -25; }),
            "shift makes accumulators [-2048, 2047] shifted to [-68719476736, 68685922304]; "
            "shifted accumulators must fit 32 bits; use a narrower accumulator or a larger shift");
  EXPECT_THAT(with(tflite,
                   [](Request& r) {
                     r.shift = Integers{1, 2};
                   }),
              HasSubstr("shift has 2 entries; it must have 1, or 1 as multipliers has"));
  const Request plain{.accumulator_bits = 12, .scale = 0.3};
  EXPECT_EQ(refused(plain), "planned");
  EXPECT_EQ(with(plain, [](Request& r) { r.scale = Doubles{0.3}; }),
            "scale has an entry a channel, of which rule \"scaled\" has one; give one number, or "
            "use another rule");
  EXPECT_THAT(with(plain, [](Request& r) { r.shift = Integers{3}; }),
              HasSubstr("shift has an entry a channel"));
  EXPECT_THAT(with(plain, [](Request& r) { r.shift = -1; }),
              HasSubstr("shift is out of range; must be from 0 to 46"));
  EXPECT_THAT(with(plain, [](Request& r) { r.factor_bits = 3; }),
              HasSubstr("factor_bits has no effect"));
  EXPECT_THAT(with(plain, [](Request& r) { r.exact = false; }), HasSubstr("exact has no effect"));
  EXPECT_THAT(with(plain, [](Request& r) { r.multiplier = 1 << 30; }),
              HasSubstr("multipliers has no effect"));
}

TEST(RequantChannels, WhatIsNotEqualIsRefusedOrNamed) {
  Request r{.accumulator_bits = 18, .rule = Rule::onnxruntime, .scale = 0.00251, .factor_bits = 12};
  EXPECT_EQ(refused(r),
            "factor_bits leaves channel 0 without a factor of up to 12 bits that is equal to "
            "onnxruntime for every accumulator; use more bits, or \"exact\": false");
  r.exact = false;
  const ChannelPlan p = plan_channels(r);
  ASSERT_EQ(p.unequal.size(), 1u);
  EXPECT_THAT(to_text(p), HasSubstr("1 of 1 channels not equal to onnxruntime"));
  const arith::FloatRule rule{.scale = 0.00251F};
  arith::Exact wrong = 0;
  for (std::int32_t a = -131072; a < 131072; ++a)
    wrong += arith::requantised(rule, a) != arith::requantised(p.forms[0], a) ? 1 : 0;
  EXPECT_EQ(count(p.unequal[0].accumulators), wrong);
  EXPECT_GT(wrong, 0);
  // Results of more than 8 bits have no float lane.
  const Request wide{
      .accumulator_bits = 20, .rule = Rule::onnxruntime, .scale = 0.3, .result_bits = 12};
  EXPECT_THAT(refused(wide), HasSubstr("a narrower accumulator, or \"exact\": false"));
}

TEST(RequantChannels, TheCheapestHardwareIsTaken) {
  const auto machine = [](Request r) { return plan_channels(r).machine; };
  EXPECT_EQ(machine({.accumulator_bits = 18, .rule = Rule::onnxruntime, .scale = 0.25}),
            Machine::one_slice);
  // All but 11 of these bits only tell an end of the range.
  EXPECT_EQ(machine({.accumulator_bits = 32, .rule = Rule::onnxruntime, .scale = 0.25}),
            Machine::one_slice);
  EXPECT_EQ(
      machine(
          {.accumulator_bits = 24, .rule = Rule::tflite, .multiplier = 1234567890, .shift = 15}),
      Machine::two_slices);
  EXPECT_EQ(machine({.accumulator_bits = 20,
                     .rule = Rule::onnxruntime,
                     .scale = Doubles{0.0011, 0.0012},
                     .zero_point = 5}),
            Machine::float_lane);
  // A shift to which all factors can go; or more where they lie too far apart.
  EXPECT_EQ(plan_channels({.accumulator_bits = 18,
                           .rule = Rule::tflite,
                           .multiplier = Integers{2000000011, 1234567891},
                           .shift = Integers{2, 9}})
                .shifts.size(),
            2u);
}

// Every accumulator of every channel, and the number of a channel that is not there.
TEST(RequantChannels, EveryAccumulatorOnTheNetlist) {
  const std::vector<Request> requests{{.accumulator_bits = 11,
                                       .rule = Rule::onnxruntime,
                                       .scale = Doubles{0.25, 0.0712, 0.5},
                                       .zero_point = 7},
                                      {.accumulator_bits = 11,
                                       .rule = Rule::tflite,
                                       .multiplier = Integers{1518500250, 1073741824, 1900000001},
                                       .shift = Integers{3, 5, -1},
                                       .zero_point = -3},
                                      {.accumulator_bits = 11,
                                       .rule = Rule::onnxruntime,
                                       .scale = Doubles{0.3, 0.1, 0.7},
                                       .zero_point = 9,
                                       .result_sign = Sign::is_unsigned}};
  for (const Request& request : requests) {
    const ChannelPlan p = plan_channels(request);
    SCOPED_TRACE(to_text(p));
    Builder builder;
    build_top<ChannelPlan, RequantIn<Hardware>, RequantOut<Hardware>>(builder, build, p,
                                                                      input_shape(p));
    backends::NativeMachine machine(builder.design());
    machine.power_up();
    RequantIn<Values> in{.rst = false, .en = true, .in_valid = true};
    in.channel = {0};
    RequantOut<Values> out;
    ir::Frame in_frame, out_frame;
    std::vector<std::int64_t> wanted;
    for (std::int64_t t = 0; t < 4 * 2048 + p.latency; ++t) {
      in.channel[0] = static_cast<std::uint64_t>(t / 2048 % 4);
      in.acc = t % 2048 - 1024;
      const std::size_t c = in.channel[0] < 3 ? in.channel[0] : 0;
      wanted.push_back(requantised(p.request.channels[c].rule, in.acc));
      pack(input_shape(p), in, in_frame);
      machine.step(in_frame, out_frame);
      unpack(output_shape(p), out_frame, out);
      if (t < p.latency) continue;
      ASSERT_TRUE(out.out_valid);
      ASSERT_EQ(arith::value_of(out.q, request.result_format()),
                wanted[static_cast<std::size_t>(t - p.latency)])
          << t;
    }
  }
}

TEST(RequantChannels, PlansAsJson) {
  config::Writer w;
  w.object([&] {
    write(
        w,
        plan_channels(
            {.accumulator_bits = 12, .rule = Rule::tflite, .multiplier = 1518500250, .shift = 4}));
  });
  const auto json = w.take();
  EXPECT_EQ(json["rule"], "tflite");
  EXPECT_EQ(json["machine"], "slice");
  EXPECT_EQ(json["equal_for_every_accumulator"], true);
  EXPECT_EQ(json["channels"].size(), 1u);
  EXPECT_NE(json["channels"][0]["offset"], json["channels"][0]["offset_below_0"]);
}

TEST(RequantChannels, PlansOfANarrowPortAsJson) {
  const ChannelPlan p = plan_channels({.accumulator_bits = 22,
                                       .rule = Rule::onnxruntime,
                                       .scale = Doubles{0.0069528413, 0.00876404531, 0.0087452475},
                                       .result_sign = Sign::is_unsigned});
  config::Writer w;
  w.object([&] { write(w, p); });
  const auto json = w.take();
  EXPECT_EQ(json["machine"], "slice");
  EXPECT_EQ(json["low_bits"], 0);
  EXPECT_EQ(json["channels"].size(), 3u);
  EXPECT_EQ(json["channels"][0]["offsets"].size(), 1u);
  EXPECT_EQ(json["exceptions"].size(), 3u);
  EXPECT_EQ(json["exceptions"][0]["result"], 150);
  EXPECT_THAT(to_text(p), HasSubstr("150 for 21502, in [0, 255]"));
}

}  // namespace requant_channel_test
}  // namespace kumiki::gen::requant
