// SPDX-License-Identifier: Apache-2.0
// Keys, refusals, the model, and every accumulator of small layers on the netlist.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "backends/sim/native/machine.h"
#include "gen/blocks/requant/select.h"
#include "gen/layers/catalog.h"
#include "gen/layers/requant/build.h"
#include "gen/layers/requant/layer.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::requant {
namespace requant_requant_layer_test {

using ::testing::HasSubstr;

// round(n / 2^shift) by looking for the nearest integer.
std::int64_t nearest(std::int64_t n, int shift, Rounding mode) {
  const std::int64_t unit = std::int64_t{1} << shift;
  if (mode == Rounding::to_zero) return n / unit;
  if (mode == Rounding::up) return -(-n / unit) + (n > 0 && n % unit != 0 ? 1 : 0);
  std::int64_t best = n / unit - 2;
  for (std::int64_t q = best; q <= n / unit + 2; ++q) {
    const std::int64_t was = std::abs(best * unit - n), now = std::abs(q * unit - n);
    const bool wins = mode == Rounding::half_even   ? q % 2 == 0
                      : mode == Rounding::half_away ? std::abs(q) > std::abs(best)
                                                    : q > best;
    if (now < was || (now == was && wins)) best = q;
  }
  return best;
}

constexpr Rounding kAll[] = {Rounding::half_even, Rounding::half_away, Rounding::half_up,
                             Rounding::to_zero, Rounding::up};

TEST(RequantRounding, IsToTheNearest) {
  for (const Rounding mode : kAll)
    for (int shift = 0; shift <= 6; ++shift)
      for (std::int64_t n = -600; n <= 600; ++n)
        ASSERT_EQ(rounded(n, shift, mode), nearest(n, shift, mode)) << n << " >> " << shift;
  EXPECT_EQ(rounded(-(arith::Exact{1} << 46), 46, Rounding::half_even), -1);
  EXPECT_EQ(rounded(3 * (arith::Exact{1} << 45), 46, Rounding::half_even), 2);
  EXPECT_EQ(rounded(3 * (arith::Exact{1} << 45), 46, Rounding::half_away), 2);
  EXPECT_EQ(rounded(-3 * (arith::Exact{1} << 45), 46, Rounding::half_up), -1);
}

// Each value against each bound, and the other way round, on the netlist.
void expect_below(std::uint32_t width, bool is_signed, const std::vector<std::int64_t>& bounds,
                  const std::vector<std::int64_t>& values) {
  Builder builder;
  ir::Module& top = builder.design().add_module("below");
  builder.design().set_top(top.id());
  Scope s(builder, top);
  const UInt word = s.input<UInt>("word", width);
  std::vector<Net> results;
  for (const std::int64_t bound : bounds)
    for (const bool inverted : {false, true})
      results.push_back(below_constant(s, word, bound, is_signed, inverted));
  s.output("less", bits(s, results));
  s.finish();
  backends::NativeMachine machine(builder.design());
  machine.power_up();
  ir::Frame in(1), out;
  for (const std::int64_t value : values) {
    in[0] = static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << width) - 1);
    machine.step(in, out);
    for (std::size_t k = 0; k < results.size(); ++k)
      ASSERT_EQ(out[k / 64] >> (k % 64) & 1, (value < bounds[k / 2]) != (k % 2 == 1))
          << width << " " << is_signed << " " << value << " below " << bounds[k / 2];
  }
}

TEST(RequantSelect, BelowEveryConstant) {
  for (std::uint32_t width = 1; width <= 8; ++width)
    for (const bool is_signed : {false, true}) {
      const std::int64_t half = is_signed ? std::int64_t{1} << (width - 1) : 0;
      const std::int64_t count = std::int64_t{1} << width;
      std::vector<std::int64_t> bounds(static_cast<std::size_t>(count) + 3),
          values(bounds.size() - 3);
      std::iota(bounds.begin(), bounds.end(), -half - 1);
      std::iota(values.begin(), values.end(), -half);
      ASSERT_NO_FATAL_FAILURE(expect_below(width, is_signed, bounds, values));
    }
}

// Wider ones stand on a carry chain: beside every bound, where a digit ends, and anywhere.
TEST(RequantSelect, BelowAConstantOfManyBits) {
  std::mt19937_64 random(17);
  for (const std::uint32_t width : {16u, 17u, 20u, 21u, 40u, 41u, 62u})
    for (const bool is_signed : {false, true}) {
      const std::int64_t half = is_signed ? std::int64_t{1} << (width - 1) : 0;
      const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
      std::vector<std::int64_t> bounds{
          -half, -half + 1, 0, 1, 32, 33, (std::int64_t{1} << width) - half - 1};
      for (int i = 0; i < 8; ++i)
        bounds.push_back(static_cast<std::int64_t>(random() & mask) - half);
      std::vector<std::int64_t> values = bounds;
      for (const std::int64_t bound : bounds) {
        if (bound > -half) values.push_back(bound - 1);
        values.push_back(bound ^ 31), values.push_back(bound ^ 1);
      }
      for (int i = 0; i < 200; ++i)
        values.push_back(static_cast<std::int64_t>(random() & mask) - half);
      std::erase_if(values, [&](std::int64_t value) {
        return value < -half || value > static_cast<std::int64_t>(mask) - half;
      });
      ASSERT_NO_FATAL_FAILURE(expect_below(width, is_signed, bounds, values));
    }
}

// Accumulators one after the other through the netlist; every output against the definition.
void expect_every_accumulator(const Request& request) {
  const Plan p = plan(request);
  Builder builder;
  build_top<Plan, RequantIn<Hardware>, RequantOut<Hardware>>(builder, build, p, input_shape(p));
  backends::NativeMachine machine(builder.design());
  machine.power_up();
  const auto lo = static_cast<std::int64_t>(p.slice.request.accumulator.lo);
  const auto hi = static_cast<std::int64_t>(p.slice.request.accumulator.hi);
  RequantIn<Values> in{.rst = false, .en = true, .in_valid = true, .acc = 0};
  if (!p.scale) in.scale = {0};
  if (request.bias_bits) in.bias = {0};
  if (request.zero_point_bits) in.zero_point = {0};
  ir::Frame frame, got;
  RequantOut<Values> out;
  std::vector<RequantIn<Values>> sent;
  const auto send = [&] {
    pack(input_shape(p), in, frame);
    machine.step(frame, got);
    unpack(output_shape(p), got, out);
    sent.push_back(in);
    const auto latency = static_cast<std::size_t>(p.slice.latency);
    ASSERT_EQ(out.out_valid, sent.size() > latency);
    if (!out.out_valid) return;
    const RequantIn<Values>& x = sent[sent.size() - 1 - latency];
    const std::int64_t bias = x.bias.empty() ? 0 : x.bias[0];
    const std::int64_t scale = x.scale.empty() ? p.scale->scale : x.scale[0];
    const std::int64_t zero = x.zero_point.empty() ? request.zero_point : x.zero_point[0];
    const std::int64_t q =
        std::clamp(nearest((x.acc + bias) * scale, p.slice.request.shift, request.rounding) + zero,
                   static_cast<std::int64_t>(p.slice.request.clamp.lo),
                   static_cast<std::int64_t>(p.slice.request.clamp.hi));
    ASSERT_EQ(out.q,
              static_cast<std::uint64_t>(q) & ((std::uint64_t{1} << request.result_bits) - 1))
        << to_text(p) << "acc " << x.acc << " bias " << bias << " scale " << scale << " zero "
        << zero;
  };
  const bool ports = !in.scale.empty();
  for (std::int64_t acc = lo; acc <= hi; ++acc)
    for (std::int64_t scale = ports ? -9 : 0; scale <= (ports ? 9 : 0); ++scale)
      for (std::int64_t other = -3; other <= (in.bias.empty() && in.zero_point.empty() ? -3 : 3);
           ++other) {
        in.acc = acc;
        if (ports) in.scale[0] = scale;
        if (!in.bias.empty()) in.bias[0] = other;
        if (!in.zero_point.empty()) in.zero_point[0] = -other;
        send();
        if (::testing::Test::HasFatalFailure()) return;
      }
  for (int k = 0; k < p.slice.latency; ++k) send();
}

TEST(RequantNetlist, EveryAccumulatorOfSmallLayers) {
  int layers = 0;
  for (const Rounding rounding : kAll)
    for (const auto& [scale, shift] :
         {std::pair{0.5, 1}, {0.375, 3}, {-0.375, 3}, {3.0, 2}, {0.3, 6}, {-1.25, 2}, {5.0, 0}})
      for (const std::int64_t zero : {0, 1, -2})
        for (const std::optional<Range>& clamp :
             {std::optional<Range>{}, std::optional<Range>{{-5, 6}}, std::optional<Range>{{2, 7}}})
          for (const Sign sign : {Sign::is_signed, Sign::is_unsigned}) {
            if (sign == Sign::is_unsigned && clamp && (*clamp)[0] < 0) continue;
            expect_every_accumulator({.accumulator_bits = 7,
                                      .scale = scale,
                                      .shift = shift,
                                      .rounding = rounding,
                                      .zero_point = zero,
                                      .result_bits = 4,
                                      .result_sign = sign,
                                      .clamp = clamp});
            if (HasFatalFailure()) return;
            ++layers;
          }
  EXPECT_EQ(layers, 5 * 7 * 3 * 5);
}

TEST(RequantNetlist, EveryAccumulatorWithPorts) {
  for (const Rounding rounding : kAll)
    for (const int shift : {0, 1, 3, 4}) {
      const Request scale{.accumulator_bits = 6,
                          .shift = shift,
                          .rounding = rounding,
                          .zero_point = 1,
                          .result_bits = 4};
      Request bias = scale;
      bias.bias_bits = 3;
      Request relu = scale;
      relu.activation = Activation::relu6;
      relu.six = 4;
      for (const Request& request : {scale, bias, relu}) expect_every_accumulator(request);
      if (rounding == Rounding::half_even) continue;
      Request zero = bias;
      zero.zero_point = 0;
      zero.zero_point_bits = 4;
      expect_every_accumulator(zero);
      zero.bias_bits = std::nullopt;
      expect_every_accumulator(zero);
      if (HasFatalFailure()) return;
    }
}

std::string refusal(const std::string& keys) {
  return test::refusal<std::exception>([&] {
    (void)config::parse_document(
        R"({"kumiki":1,"name":"n","layers":[{"type":"requant","name":"r",)" + keys + "}]}",
        "cfg.json", registry());
  });
}

TEST(RequantLayer, Refusals) {
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":0.01)"), "not refused");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":-3.75,"shift":15)"), "not refused");
  EXPECT_EQ(refusal(R"("scale":0.01)"),
            "cfg.json:1:34: /layers/0/accumulator_bits: \"accumulator_bits\" is missing; give "
            "either accumulator_bits or accumulator [missing-key]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"accumulator":[0,5],"scale":0.01)"),
            "cfg.json:1:99: /layers/0/accumulator: \"accumulator\" is a second range beside "
            "accumulator_bits; give either accumulator_bits or accumulator [conflicting-keys]");
  EXPECT_EQ(refusal(R"("accumulator":[5,0],"scale":0.01)"),
            "cfg.json:1:77: /layers/0/accumulator: [5, 0] leaves no value; must be [lowest, "
            "highest] [empty-range]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24)"),
            "cfg.json:1:34: /layers/0/shift: \"shift\" is missing; with the scale on a port give 0 "
            "to 46 [missing-key]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":0)"),
            "cfg.json:1:93: /layers/0/scale: 0 makes everything the zero point; must not be 0 "
            "[zero-scale]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":1e-30)"),
            "cfg.json:1:93: /layers/0/scale: a ratio of 1e-30; the ratio must be above 2^-41 "
            "[out-of-range]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":0.5,"shift":44)"),
            "cfg.json:1:105: /layers/0/shift: 44 makes the scale 8796093022208; use 17, which "
            "leaves 17 bits of 0.5 [unfit-shift]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":0.5,"shift":18)"),
            "cfg.json:1:105: /layers/0/shift: 18 makes the scale 131072; use 17, which leaves 17 "
            "bits of 0.5 [unfit-shift]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":1e-6,"shift":10)"),
            "cfg.json:1:106: /layers/0/shift: 10 makes the scale 0; use 36, which leaves 17 bits "
            "of 1e-06 [unfit-shift]");
  EXPECT_EQ(
      refusal(R"("accumulator_bits":27,"scale":0.5,"bias_bits":20)"),
      "cfg.json:1:109: /layers/0/bias_bits: accumulator and bias on the 27-bit side: [-67633152, "
      "67633150] not within [-67108864, 67108863]; use a smaller bias [not-proved]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":0.5,"zero_point_bits":8)"),
            "cfg.json:1:34: /layers/0/rounding: half to even with zero points [-128, 127]; half to "
            "even needs one zero point for all channels [rounding-not-possible]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":0.5,"zero_point_bits":8,"zero_point":1)"),
            "cfg.json:1:130: /layers/0/zero_point: \"zero_point\" comes on a port; give either "
            "zero_point or zero_point_bits [conflicting-keys]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":0.5,"activation":"relu6")"),
            "cfg.json:1:34: /layers/0/six: \"six\" is missing; give the integer that stands for "
            "6.0 with relu6, and only there [missing-key]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":0.5,"six":6)"),
            "cfg.json:1:103: /layers/0/six: \"six\" has no relu6 to serve; give the integer that "
            "stands for 6.0 with relu6, and only there [key-without-use]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":0.5,"clamp":[-129,5])"),
            "cfg.json:1:105: /layers/0/clamp: [-129, 5] leaves the result; must lie within [-128, "
            "127] [clamp-leaves-result]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":0.5,"zero_point":127,"activation":"relu")"),
            "cfg.json:1:127: /layers/0/activation: clamp 127; the clamp must leave at least two "
            "values [too-few]");
  EXPECT_EQ(refusal(R"("accumulator_bits":24,"scale":0.5,"activation":"relu","zero_point_bits":3)"),
            "cfg.json:1:110: /layers/0/activation: \"activation\" needs one zero point for all "
            "channels; with zero_point_bits it must be none [conflicting-keys]");
}

}  // namespace requant_requant_layer_test
}  // namespace kumiki::gen::requant
