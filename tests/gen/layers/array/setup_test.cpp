// SPDX-License-Identifier: Apache-2.0
// From a configuration to an array that runs it.
#include "gen/layers/array/setup.h"
#include "gen/layers/array/layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/gen/layers/array/jobs.h"
#include "tests/gen/layers/array/refused.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::array {
namespace array_setup_test {

using test::conv_layer;
using test::refused;
using test::refused_network;
using ::testing::HasSubstr;

Request parse(const std::string& keys) {
  const auto document = config::parse_document(
      R"({"kumiki": 1, "name": "x", "layers": [{"type": "pe_array", "name": "a", )" + keys + "}]}",
      "cfg.json", cost_registry());
  return document.layers[0].as<Request>();
}
std::string refusal(const std::string& layer) {
  return kumiki::test::refusal<config::ConfigError>(
      [&] { parse(R"("network": [)" + layer + "]"); });
}
Request example(const std::string& file) {
  const auto document =
      config::read_document(std::string(KUMIKI_TEST_DIR) + "/../examples/" + file, cost_registry());
  return document.layers.at(0).as<Request>();
}

TEST(ArraySetup, KeysOfTheHardware) {
  const ArrayRequest h = hardware_of(parse(
      R"("rows": 5, "columns": 7, "accumulators": 3, "bits": 6, "coefficient_bits": 5, "reach": 4,
         "stream_words": 12, "window_words": 40, "common_words": 99, "output_words": 2,
         "descriptors": 20, "max_pool": true, "average_pool": false,
         "network": [{"type": "fc", "name": "f", "inputs": 3, "outputs": 4}])"));
  EXPECT_EQ(h, (ArrayRequest{.rows = 5,
                             .columns = 7,
                             .accumulators = 3,
                             .data_bits = 6,
                             .coefficient_bits = 5,
                             .reach = 4,
                             .stream_words = 12,
                             .window_words = 40,
                             .common_words = 99,
                             .output_words = 2,
                             .layers = 20,
                             .max_pool = true,
                             .average_pool = false}));
}

// Whatever the network, a beat holds what a batch asks for.
TEST(ArraySetup, ABatchHasRoomInABeat) {
  const std::string networks[] = {
      R"({"type": "fc", "name": "a", "inputs": 9, "outputs": 5})",
      R"({"type": "conv", "name": "a", "in_channels": 2, "height": 6, "width": 6,
          "out_channels": 3, "kernel": 3})"};
  for (const std::string& network : networks)
    for (const int rows : {1, 2, 5, 14})
      for (const int columns : {2, 3, 16})
        for (const int elements : {0, 2}) {
          std::string keys = fmt::format(
              R"("rows": {}, "columns": {}, "batch": 4, "batched_fc": true, )", rows, columns);
          if (elements > 0) keys += fmt::format(R"("fc_elements": {}, )", elements);
          const ArrayPlan p = plan(hardware_of(parse(keys + R"("network": [)" + network + "]")));
          EXPECT_GE(p.stream_words(), rows + columns);
          EXPECT_EQ(p.direct_words(), std::max(p.fc_elements(), rows + columns));
        }
}

TEST(ArraySetup, KeysOfALayer) {
  const Request r = parse(
      R"("bits": 8, "network": [{"type": "conv", "name": "c", "in_channels": 1, "height": 3, "width": 3,
          "out_channels": 2, "kernel": 1, "relu": true, "pool": {"kind": "average", "size": 3},
          "multiplier": [3, 5], "shift": 7, "weights": [4, -6], "bias": [10, -20]}])");
  const ArrayPlan p = plan(hardware_of(r));
  EXPECT_TRUE(p.request.average_pool);
  EXPECT_FALSE(p.request.max_pool);
  const LayerJob job = jobs_of(r, p).at(0);
  EXPECT_TRUE(job.relu);
  EXPECT_EQ(job.pool, (Pool{PoolKind::average, 3}));
  EXPECT_EQ(job.multiplier, (std::vector<std::uint32_t>{3, 5}));
  EXPECT_EQ(job.shift, (std::vector<int>{7, 7}));
  EXPECT_EQ(job.weights[1], -6);
  EXPECT_EQ(job.bias, (std::vector<std::int64_t>{10, -20}));
}

TEST(ArraySetup, ScalesBecomeMultiplierAndShift) {
  for (const double scale : {1e-9, 0.001, 0.37, 1.0, 3.25, 12345.0}) {
    const Scaling s = scaling(scale, true);
    EXPECT_NEAR(std::ldexp(s.multiplier, -s.shift) / scale, 1, 2e-5) << scale;
    EXPECT_TRUE(s.multiplier <= 65535 && s.shift >= 1 && s.shift <= 47);
  }
  EXPECT_EQ(scaling(0.25, false).shift, 2);
  EXPECT_EQ(scaling(100, false).shift, 1);
  EXPECT_EQ(scaling(1e-30, true).multiplier, 0u);
}

TEST(ArraySetup, RefusesNumbersThatDoNotFitTheLayer) {
  const std::string c =
      R"({"type": "conv", "name": "c", "in_channels": 2, "height": 3, "width": 3, "out_channels": 2, "kernel": 1)";
  EXPECT_THAT(
      refusal(c + R"(, "weights": [1, 2, 3]})"),
      HasSubstr("network/0/weights: [1, 2, 3] has 3 weights instead of 4; give [2][2][1][1] as "
                "[output][input of its group][row][column], or all in one list"));
  EXPECT_THAT(refusal(c + R"(, "weights": [[1, 2], [3]]})"), HasSubstr("differs in length"));
  EXPECT_THAT(refusal(c + R"(, "weights": [[[[1]], [[2]]], [[[3]], [[4]]]]})"), "not refused");
  EXPECT_THAT(refusal(c + R"(, "bias": [1]})"),
              HasSubstr("must be a list of 2, one for each output channel"));
  EXPECT_THAT(refusal(c + R"(, "shift": [1, 2, 3]})"),
              HasSubstr("must be a list of 2, one for each output channel"));
  EXPECT_THAT(refusal(c + R"(, "multiplier": 3})"), HasSubstr("is given without \"shift\""));
  EXPECT_THAT(refusal(c + R"(, "scale": 0.5, "shift": 3})"),
              HasSubstr("is given beside \"multiplier\" or \"shift\""));
  EXPECT_THAT(refusal(c + R"(, "pool": {"kind": "max", "size": 4}})"), HasSubstr("from 2 to 3"));
  EXPECT_THAT(
      refusal(R"({"type": "fc", "name": "f", "inputs": 2, "outputs": 2, "pool": {"kind": "max"}})"),
      HasSubstr("is not allowed on an fc layer"));
  EXPECT_THAT(refusal(R"({"type": "conv", "name": "c", "in_channels": 1, "height": 2, "width": 3,
      "out_channels": 1, "kernel": 1, "pool": {"kind": "max", "size": 3}})"),
              HasSubstr("has a window of 3, larger than the map of 2 x 3"));
}

// Random weights, a map of its own, a scale that is chosen: each only when it is asked for.
TEST(ArraySetup, NothingIsMadeUpUnasked) {
  const std::string random = R"("weights_from": "random")";
  const std::string c = conv_layer;
  EXPECT_THAT(
      refused_network("", c + "}"),
      HasSubstr("/layers/0/weights_from: \"weights_from\" is missing, and no layer of the network "
                "has weights; set it to \"random\", or give \"weights\" in every layer"));
  EXPECT_EQ(refused_network(random, c + "}"), "not refused");
  const std::string own = c + R"(, "weights": [1, 2])", f = R"({"type": "fc", "name": "f", )";
  EXPECT_THAT(refused_network("", own + "}"),
              HasSubstr("network/0/scale: \"scale\" is missing, but weights are given; give "
                        "\"scale\", or \"shift\" with \"multiplier\""));
  EXPECT_EQ(refused_network("", own + R"(, "shift": 3})"), "not refused");
  EXPECT_THAT(
      refused_network(random, own + R"(, "shift": 3})"),
      HasSubstr("/layers/0/weights_from: \"weights_from\" is given, but every layer has weights"));
  EXPECT_THAT(refused_network("", own + R"(, "shift": 3, "seed": 4})"),
              HasSubstr("network/0/seed: \"seed\" is given, but the weights are not random"));
  EXPECT_THAT(
      refused_network("", own + R"(, "shift": 3}, )" + f + R"("inputs": 32, "outputs": 2})"),
      HasSubstr("network/1: the layer has no \"weights\"; give a list or a file, or set "
                "\"weights_from\" of the array to \"random\""));
  EXPECT_THAT(
      refused_network(random, c + "}, " + f + R"("inputs": 33, "outputs": 2})"),
      HasSubstr("network/1/inputs: 33 does not fit: the layer takes 33 x 1 x 1, but c gives 2 x 4 "
                "x 4; change the sizes of one of the two, or set \"input\" to \"host\""));
  EXPECT_EQ(
      refused_network(random, c + "}, " + f + R"("inputs": 33, "outputs": 2, "input": "host"})"),
      "not refused");
  EXPECT_THAT(refused_network(random, c + R"(, "input": "previous"})"),
              HasSubstr("network/0/input: \"previous\" has no layer before it"));
  const Request r = parse(random + R"(, "network": [)" + c + "}, " + f +
                          R"("inputs": 32, "outputs": 32}, {"type": "fc", "name": "g",
                             "inputs": 32, "outputs": 2, "input": "host"}])");
  const ArrayPlan p = plan(hardware_of(r));
  const auto inputs = inputs_of(compile(p, jobs_of(r, p)), 3);
  EXPECT_TRUE(inputs[0] && !inputs[1] && inputs[2]);
}

// A scale is met or refused, never replaced by another one without a word.
TEST(ArraySetup, ScalesAreMetOrRefused) {
  const std::string own = std::string(conv_layer) + R"(, "weights": [1, 2], "scale": )";
  const auto with = [&](const std::string& bits, const std::string& rest) {
    return refused_network("\"bits\": " + bits, own + rest + "}");
  };
  EXPECT_EQ(with("8", "0.0028"), "not refused");
  EXPECT_EQ(with("8", "0.37"), "not refused");
  EXPECT_THAT(
      with("8", "1e-12"),
      HasSubstr("network/0/scale: a multiplier of 16 bits and a shift of 1 to 47 do not come near "
                "the scale: 141 / 2^47 is off by +0.0019; it must be 2.328e-10 to 32767.5"));
  EXPECT_THAT(with("8", "40000"), HasSubstr("65535 / 2^1 is off by -0.18; it must be"));
  EXPECT_THAT(
      with("12", "0.0028"),
      HasSubstr(
          "network/0/scale: results of more than 8 bits are only shifted, which makes no scale of "
          "0.0028; use 0.001953125 (1 / 2^9) or 0.00390625 (1 / 2^8), or give a \"shift\""));
  EXPECT_EQ(with("12", "0.00390625"), "not refused");
  EXPECT_THAT(with("12", R"(0.25, "pool": {"kind": "average", "size": 3})"),
              HasSubstr("0.140625 (9 / 2^6) or 0.28125 (9 / 2^5)"));
  EXPECT_EQ(with("12", R"(0.25, "pool": {"kind": "average", "size": 2})"), "not refused");
  const Request r = parse(R"("network": [)" + own + R"(0.0028}])");
  const ArrayPlan p = plan(hardware_of(r));
  EXPECT_THAT(to_text(compile(p, jobs_of(r, p)).layers),
              HasSubstr("weights given, scale 0.0028 is 46976 / 2^24: -4.4e-06 of it"));
}

// Wrong numbers are mistakes of the configuration, at their place.
TEST(ArraySetup, NumbersThatDoNotFitTheHardwareHaveAPlace) {
  const auto with = [](const std::string& keys, const std::string& bits = "8") {
    return refused_network("\"bits\": " + bits, std::string(conv_layer) + ", " + keys + "}");
  };
  EXPECT_THAT(with(R"("weights": [1, 200], "shift": 2)"),
              HasSubstr("network/0/weights/1: 200 is out of range; must be -128 to 127"));
  EXPECT_THAT(with(R"("weights": [1, 2], "shift": 2, "bias": [0, 3000000000])"),
              HasSubstr("network/0/bias/1: bias of output channel 1 is 3000000000; it must be "
                        "-2147483648 to 2147483647"));
  // It fits, but not with the sum: 2 * 127 more.
  EXPECT_THAT(with(R"("weights": [1, 2], "shift": 2, "bias": [0, 2147483400])"),
              HasSubstr("network/0/bias/1: sum and bias of output channel 1 may become 2147483144 "
                        "or 2147483654, beyond 32 bits; use a bias nearer to 0"));
  EXPECT_EQ(with(R"("weights": [1, 2], "shift": 2, "bias": [0, 2147483393])"), "not refused");
  EXPECT_THAT(with(R"("weights": [1, 2], "shift": 2, "multiplier": 3)", "12"),
              HasSubstr("network/0/multiplier: multiplier of output channel 0 is 3; it must be 1, "
                        "because results of more than 8 bits are only shifted"));
  EXPECT_THAT(
      refused(R"("columns": 1, "weights_from": "random", "network": [)" + std::string(conv_layer) +
              "}]"),
      HasSubstr("/layers/0/columns: columns of an array of pairs is 1; it must be 2 to 1024"));
  EXPECT_THAT(refused(R"("reach": 1, "weights_from": "random", "network": [{"type": "conv", "name":
      "c", "in_channels": 1, "height": 4, "width": 4, "out_channels": 2, "kernel": 3}])"),
              HasSubstr("network/0/kernel: kernel 3 at stride 1"));
}

// All examples get an array on which nothing waits, whose steps are the cycles of the cost model.
TEST(ArraySetup, ExamplesRunWithoutWaiting) {
  for (const char* file :
       {"lenet5.json", "alexnet-paper.json", "alexnet.json", "vgg16.json", "resnet18-convs.json"}) {
    Request r = example(file);
    r.split = 1;
    const ArrayPlan p = plan(hardware_of(r));
    for (const NetworkLayer& l : r.network) {
      const Pool pool = l.pool ? Pool{l.pool->kind, l.pool->size} : Pool{};
      const Figures f = foretell(p, shape_of(l), pool);
      // 28 rows of 8 accumulators leave in 224 clocks, 3 x 3 x 3 x 8 steps are 216.
      const bool drains = std::string(file) == "vgg16.json" && l.name == "conv1_1";
      EXPECT_EQ(f.limit, drains ? Limit::drain : Limit::steps) << file << " " << l.name;
      EXPECT_EQ(f.steps, cost(array_of(r), shape_of(l)).cycles) << file << " " << l.name;
    }
  }
}

// Sums of random weights stay within the accumulators however many there are.
TEST(ArraySetup, RandomWeightsAreAsWideAsSumsAllow) {
  const std::pair<std::string, int> wide[] = {{R"("inputs": 300, "outputs": 3)", 18},
                                              {R"("inputs": 40000, "outputs": 3)", 14}};
  for (const auto& [keys, bits] : wide) {
    const Request r =
        parse(R"("bits": 20, "rows": 4, "columns": 4, "network": [{"type": "fc", "name": "f", )" +
              keys + "}]");
    const ArrayPlan p = plan(hardware_of(r));
    const auto jobs = jobs_of(r, p);
    EXPECT_EQ(jobs[0].weights.bits(), bits);
    EXPECT_NO_THROW(compile(p, jobs));
  }
}

// Maps fit one another where the network's layers do.
// 10^12 of them: not one is looked at, so none may be as wide as it could by chance.
TEST(ArraySetup, MoreRandomWeightsThanCanBeLookedAt) {
  const Request r = parse(
      R"("rows": 64, "columns": 64, "bits": 4,
         "network": [{"type": "fc", "name": "f", "inputs": 1000000, "outputs": 1000000}])");
  const ArrayPlan p = plan(hardware_of(r));
  const auto jobs = jobs_of(r, p);
  const Program program = compile(p, jobs);
  const double sum = std::ldexp(1e6, 3 + jobs[0].weights.bits() - 1);
  EXPECT_LT(sum, std::ldexp(1, p.sum_bits() - 1));
  EXPECT_EQ(program.layers[0].figures.steps, program.layers[0].figures.formula.cycles);
}

TEST(ArraySetup, ExamplesAreChains) {
  const std::pair<const char*, std::size_t> own[] = {
      {"lenet5.json", 1}, {"alexnet.json", 1}, {"vgg16.json", 1}};
  for (const auto& [file, count] : own) {
    const Request r = example(file);
    MapShape before{};
    std::size_t breaks = 0;
    for (const NetworkLayer& l : r.network) {
      LayerJob job{.shape = shape_of(l)};
      if (l.pool) job.pool = {l.pool->kind, l.pool->size};
      const MapShape in = job.in_shape();
      breaks += l.kind() == Kind::fc ? in.size() != before.size() : in != before;
      before = job.out_shape();
    }
    EXPECT_EQ(breaks, count) << file;
  }
}

// Scales are float32 exactly; a layer's input has the zero point of the layer that gives it.
TEST(ArraySetup, NumbersOfFloat32) {
  const Request r = parse(
      R"("rows": 3, "columns": 4, "accumulators": 2, "bits": 8, "requantise": "float32",
         "network": [{"type": "conv", "name": "c", "in_channels": 1, "height": 4, "width": 4,
                      "out_channels": 2, "kernel": 3, "padding": 1, "weights": [[1, 2, 3, 4, 5, 6,
                      7, 8, 9], [-1, -2, -3, -4, -5, -6, -7, -8, -9]], "bias": [10, 20],
                      "input_zero_point": -128, "zero_point": 7, "clamp": [-100, 100],
                      "scale": [0.5, 0.10000000149011612], "relu": true},
                     {"type": "fc", "name": "f", "inputs": 32, "outputs": 1, "scale": 0.25,
                      "weights": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}])");
  const ArrayRequest h = hardware_of(r);
  EXPECT_TRUE(h.float32);
  const ArrayPlan p = plan(h);
  const Program program = compile(p, jobs_of(r, p));
  const LayerJob& c = program.layers[0].job;
  EXPECT_EQ(c.scales, (std::vector<float>{0.5F, 0.1F}));
  EXPECT_EQ(c.rule_of(1, 8), (arith::FloatRule{.scale = 0.1F, .zero_point = 7, .range = {7, 100}}));
  EXPECT_EQ(program.layers[0].offsets, (std::vector<std::int64_t>{10 + 128 * 45, 20 - 128 * 45}));
  EXPECT_EQ(program.layers[1].job.input_zero_point, 7);
  EXPECT_EQ(program.layers[1].offset_of(0), -7 * 32);
  EXPECT_EQ(program.layers[1].job.rule_of(0, 8), (arith::FloatRule{.scale = 0.25F}));
  ArrayModel model(p);
  test::run(model, program, inputs_of(program, 3));
}

// Sums of a window with two sides, from the keys alone.
std::vector<std::int64_t> sums_of(const Tensor& in, const std::vector<std::int64_t>& weights,
                                  std::array<std::int64_t, 2> window,
                                  std::array<std::int64_t, 2> stride,
                                  std::array<std::int64_t, 4> pads, std::int64_t outputs) {
  const MapShape& s = in.shape;
  const std::int64_t rows = (s.height + pads[0] + pads[2] - window[0]) / stride[0] + 1,
                     columns = (s.width + pads[1] + pads[3] - window[1]) / stride[1] + 1;
  std::vector<std::int64_t> sums;
  for (std::int64_t o = 0; o < outputs; ++o)
    for (std::int64_t y = 0; y < rows; ++y)
      for (std::int64_t x = 0; x < columns; ++x) {
        std::int64_t sum = 0;
        std::size_t w = static_cast<std::size_t>(o * s.channels * window[0] * window[1]);
        for (std::int64_t c = 0; c < s.channels; ++c)
          for (std::int64_t r = 0; r < window[0]; ++r)
            for (std::int64_t k = 0; k < window[1]; ++k, ++w) {
              const std::int64_t row = y * stride[0] - pads[0] + r,
                                 column = x * stride[1] - pads[1] + k;
              if (row >= 0 && row < s.height && column >= 0 && column < s.width)
                sum += weights[w] * in.at(c, row, column);
            }
        sums.push_back(sum);
      }
  return sums;
}

TEST(ArraySetup, KernelsAndStridesWithTwoSides) {
  const struct {
    std::array<std::int64_t, 2> kernel, stride;
    std::array<std::int64_t, 4> pads;  // above, left, below, right
  } cases[] = {{{1, 7}, {1, 1}, {0, 3, 0, 3}}, {{3, 1}, {2, 1}, {1, 0, 1, 0}},
               {{2, 3}, {1, 3}, {1, 0, 0, 2}}, {{3, 3}, {4, 2}, {1, 2, 0, 1}},
               {{2, 1}, {3, 3}, {0, 0, 1, 1}}, {{5, 2}, {2, 4}, {2, 1, 2, 0}}};
  for (const bool exact : {false, true})
    for (const auto& c : cases) {
      std::vector<std::int64_t> weights;
      for (std::int64_t i = 0; i < 3 * 2 * c.kernel[0] * c.kernel[1]; ++i)
        weights.push_back(i * 7 % 23 - 11);
      const Request r = parse(fmt::format(
          R"("rows": 3, "columns": 4, "accumulators": 2, "bits": 8, {}
             "network": [{{"type": "conv", "name": "c", "in_channels": 2, "height": 8, "width": 9,
               "out_channels": 3, "kernel": [{}, {}], "stride": [{}, {}],
               "padding": [{}, {}, {}, {}], "weights": [{}], "scale": 0.015625}},
               {{"type": "average", "name": "m", "in_channels": 3, "height": {}, "width": {}}}])",
          exact ? R"("requantise": "float32",)" : "", c.kernel[0], c.kernel[1], c.stride[0],
          c.stride[1], c.pads[0], c.pads[1], c.pads[2], c.pads[3], fmt::join(weights, ", "),
          (8 + c.pads[0] + c.pads[2] - c.kernel[0]) / c.stride[0] + 1,
          (9 + c.pads[1] + c.pads[3] - c.kernel[1]) / c.stride[1] + 1));
      const Program program = program_of(r);
      ArrayModel model(program.plan);
      const auto inputs = inputs_of(program, 3);
      ASSERT_FALSE(inputs[1]);
      test::run(model, program, inputs);  // equal to the definition, clocks as foretold
      const auto results = reference(program, inputs);
      const auto sums = sums_of(*inputs[0], weights, c.kernel, c.stride, c.pads, 3);
      ASSERT_EQ(results[0].values.size(), sums.size());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const double q = static_cast<double>(sums[i]) / 64;
        const double rounded = exact ? std::nearbyint(q) : std::floor(q + 0.5);
        ASSERT_EQ(results[0].values[i], std::clamp(rounded, -128.0, 127.0)) << i;
      }
      // The mean of what was rounded and clamped.
      const auto pixels = sums.size() / 3;
      for (std::size_t channel = 0; channel < 3; ++channel) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < pixels; ++i) sum += results[0].values[channel * pixels + i];
        EXPECT_NEAR(results[1].values[channel],
                    static_cast<double>(sum) / static_cast<double>(pixels), 0.51);
      }
    }
}

TEST(ArraySetup, AnAverageBehindReluIsALayerOfItsOwn) {
  const Request r = parse(
      R"("rows": 4, "columns": 4, "accumulators": 2, "bits": 8, "requantise": "float32", "network": [
         {"type": "conv", "name": "c", "in_channels": 1, "height": 4, "width": 4, "out_channels": 1,
          "kernel": 1, "weights": [1], "scale": 1, "relu": true},
         {"type": "average", "name": "a", "in_channels": 1, "height": 4, "width": 4, "kernel": 2,
          "stride": 2}])");
  const Program program = program_of(r);
  Tensor in({1, 4, 4});
  in.values = {-9, 5, 1, 2, 7, 3, 3, 4, -1, -2, 100, 101, -3, -4, 102, 104};
  const auto results = reference(program, {in, std::nullopt});
  // (0 + 5 + 7 + 3) / 4, (1 + 2 + 3 + 4) / 4 to the even neighbour, 0, 407 / 4.
  EXPECT_EQ(results[1].values, (std::vector<std::int32_t>{4, 2, 0, 102}));
  EXPECT_EQ(program.layers[1].job.scales, std::vector<float>{0.25F});
}

// LeNet-5 on the model, layer after layer with nothing from the host but data.
TEST(ArraySetup, LeNetOnTheModel) {
  const Request r = example("lenet5.json");
  const ArrayPlan p = plan(hardware_of(r));
  const Program program = compile(p, jobs_of(r, p));
  ArrayModel model(p);
  const auto inputs = inputs_of(program, 3);
  EXPECT_TRUE(inputs[0] && !inputs[1] && !inputs[4]);
  const auto measured = test::run(model, program, inputs);
  EXPECT_EQ(measured[0].clocks, program.layers[0].figures.clocks + program.layers[0].figures.fill);
  // The results of the last layer are not all the same.
  const Tensor last = reference(program, inputs).back();
  EXPECT_NE(*std::ranges::min_element(last.values), *std::ranges::max_element(last.values));
}

}  // namespace array_setup_test
}  // namespace kumiki::gen::array
