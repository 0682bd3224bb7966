// SPDX-License-Identifier: Apache-2.0
// Descriptors and streams of a program, read as the README says, give the reference's results; and
// what cannot run is refused with the reason.
#include "gen/layers/array/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ir/error.h"
#include "tests/gen/layers/array/interpreter.h"
#include "tests/gen/layers/array/jobs.h"

namespace kumiki::gen::array {
namespace array_program_test {

using test::conv;
using test::fc;
using test::job_of;
using test::own_inputs;
using ::testing::HasSubstr;

std::int64_t number(std::int64_t low, std::int64_t high) {
  return *rc::gen::inRange<std::int64_t>(low, high + 1);
}

ArrayPlan any_plan() {
  ArrayRequest r{.rows = static_cast<int>(number(1, 6)),
                 .columns = static_cast<int>(number(2, 6)),
                 .accumulators = static_cast<int>(number(1, 5)),
                 .data_bits = static_cast<int>(number(2, 8)),
                 .coefficient_bits = static_cast<int>(number(2, 8)),
                 .reach = 9,
                 .window_words = 16 * 14,
                 .common_words = static_cast<int>(number(2, 300))};
  r.output_words = static_cast<int>(number(1, r.columns));
  r.split = static_cast<int>(number(1, 2));
  r.batched_fc = number(0, 1) == 0;
  if (number(0, 2) == 0) r.data_bits = 20;
  const ArrayPlan fewest{r};
  const int batch = r.batched_fc ? r.rows + r.columns : 1;
  r.stream_words = static_cast<int>(
      number(std::max(batch, fewest.chunk()),
             std::max({batch, fewest.elements(), fewest.banks() * fewest.chunk()})));
  return plan(r);
}

LayerJob any_job(const ArrayPlan& p) {
  const auto seed = static_cast<std::uint64_t>(number(0, 1'000'000));
  if (number(0, 2) == 0)
    return job_of(fc(number(1, 20), number(1, 40), p.request.batched_fc ? number(1, 9) : 1), p,
                  seed);
  ConvShape s{.height = number(1, 14),
              .width = number(1, 14),
              .kernel = number(1, 5),
              .stride = number(1, 4),
              .dilation = number(1, 2),
              .groups = number(1, 2),
              .padding_before = number(0, 3),
              .padding_after = number(0, 3)};
  if (number(0, 2) == 0) s.padding_left = number(0, 3);
  if (number(0, 2) == 0) s.padding_right = number(0, 3);
  s.in_channels = s.groups * number(1, 3);
  s.out_channels = s.groups * number(1, 7);
  RC_PRE(s.out_height() >= 1 && s.out_width() >= 1);
  Pool pool{static_cast<PoolKind>(number(0, 2)), static_cast<int>(number(2, 3))};
  if (s.out_height() < pool.size || s.out_width() < pool.size || p.rows() < pool.size ||
      p.columns() < pool.size)
    pool = {};
  const LayerJob job = job_of(conv(s), p, seed, pool, number(0, 1) == 0);
  return job;
}

RC_GTEST_PROP(ArrayProgram, StreamsReadByTheBookGiveTheReference, ()) {
  const ArrayPlan p = any_plan();
  std::vector<LayerJob> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(any_job(p));
  const Program program = compile(p, jobs);
  const auto inputs = own_inputs(program, 5);
  std::vector<Source> sources;
  for (const auto& input : inputs) sources.push_back({&*input, nullptr, 1});
  IndividualStream individual(program, sources);
  CommonStream common(program, sources);
  ParameterStream parameters(program);
  OutputStream output(program);
  test::Interpreter array(p, program.writes(), individual, common, parameters);
  const auto expected = reference(program, inputs);
  for (int i = 0; i < 3; ++i) {
    const Tensor& wanted = expected[static_cast<std::size_t>(i)];
    std::int64_t seen = 0;
    const auto beats = array.layer(i);
    for (const auto& beat : beats) {
      RC_ASSERT(output.layer() == static_cast<std::size_t>(i));
      const OutputBeat place = output.next();
      RC_ASSERT(place.last == (&beat == &beats.back()));
      for (int w = 0; w < p.request.output_words; ++w) {
        const test::Word& word = beat.at(static_cast<std::size_t>(w));
        RC_ASSERT(word.kept == (w < place.count));
        if (!word.kept) continue;
        RC_ASSERT(word.value == wanted.at(place.index + w));
        ++seen;
      }
    }
    RC_ASSERT(seen == wanted.shape.size());
    RC_ASSERT(static_cast<std::int64_t>(beats.size()) ==
              program.layers[static_cast<std::size_t>(i)].figures.output_beats);
  }
  RC_ASSERT(individual.over() && common.over() && parameters.over() && output.over());
}

TEST(ArrayProgram, StepsAreTheCostModelsCycles) {
  const ArrayPlan p = plan({.rows = 27,
                            .columns = 27,
                            .reach = 5,
                            .stream_words = 729,
                            .window_words = 16 * 32,
                            .common_words = 20000,
                            .output_words = 27});
  const ConvShape shapes[] = {{.in_channels = 3,
                               .height = 224,
                               .width = 224,
                               .out_channels = 96,
                               .kernel = 11,
                               .stride = 4,
                               .padding_before = 1,
                               .padding_after = 2},
                              {.in_channels = 96,
                               .height = 55,
                               .width = 55,
                               .out_channels = 256,
                               .kernel = 5,
                               .groups = 2,
                               .padding_before = 2,
                               .padding_after = 2},
                              {.in_channels = 256,
                               .height = 27,
                               .width = 27,
                               .out_channels = 384,
                               .kernel = 3,
                               .padding_before = 1,
                               .padding_after = 1}};
  const std::int64_t cycles[] = {313'632, 2'764'800, 884'736};
  for (std::size_t i = 0; i < std::size(shapes); ++i) {
    const Figures f = foretell(p, conv(shapes[i]));
    EXPECT_EQ(f.steps, cycles[i]);
    EXPECT_EQ(f.formula.cycles, cycles[i]);
    EXPECT_EQ(f.clocks, cycles[i] + ArrayPlan::layer_overhead);
    EXPECT_EQ(f.limit, Limit::steps);
    EXPECT_TRUE(f.exact);
  }
  const Figures f = foretell(p, fc(4096, 1000));
  EXPECT_EQ(f.steps, 4096 * 2);
  EXPECT_EQ(f.individual_words, 4096 * 1000);
}

TEST(ArrayProgram, CommonOperandsAreKeptWhereTheyFit) {
  auto kept = [](int common_words, const LayerShape& shape) {
    const ArrayPlan p =
        plan({.rows = 4, .columns = 4, .accumulators = 4, .common_words = common_words});
    const Program program = compile(p, {job_of(shape, p, 1)});
    return program.layers[0].keep;
  };
  const LayerShape twice = conv({.in_channels = 3,
                                 .height = 8,
                                 .width = 4,
                                 .out_channels = 4,
                                 .kernel = 3,
                                 .padding_before = 1,
                                 .padding_after = 1});
  LayerShape once = twice;
  once.conv.height = 4;
  EXPECT_TRUE(kept(128, twice));  // 9 * 3 * 4 words
  EXPECT_FALSE(kept(64, twice));
  EXPECT_FALSE(kept(128, once));
}

struct Refused {
  const char* name;
  ArrayRequest array;
  LayerJob job;
  const char* message;
};

std::vector<Refused> refusals() {
  const ArrayRequest small{.rows = 4, .columns = 4, .accumulators = 4};
  const ConvShape s{.in_channels = 2, .height = 9, .width = 9, .out_channels = 3, .kernel = 3};
  auto job = [&](const ConvShape& shape) { return job_of(conv(shape), plan(small), 1); };
  std::vector<Refused> all;
  auto refuse = [&](const char* name, const LayerJob& j, const char* message,
                    const ArrayRequest& array) {
    all.push_back({name, array, j, message});
    all.back().job.shape.name = "l";
  };
  ConvShape t = s;
  t.kernel = 5;
  refuse("reach", job(t),
         "layer l: kernel 5 at stride 1 and dilation 1 spans 5 pixels in a phase, but the array's "
         "reach is 3; use a smaller kernel, or set \"reach\" to 5",
         small);
  ArrayRequest few = small;
  few.window_words = 15;
  t = s;
  t.stride = 3;
  refuse("window", job(t),
         "layer l: a window of kernel 3 at stride 3 takes 27 addresses of a bank, but the array "
         "has 16; set \"window_words\" to 27",
         few);
  ArrayRequest bare = small;
  bare.max_pool = false;
  LayerJob j = job(s);
  j.pool = {PoolKind::max, 2};
  refuse("pool", j,
         "layer l: the array has no hardware for maximum pooling; set \"max_pool\" to true", bare);
  j.pool.size = 4;
  refuse("pool size", j, "layer l: the array has no pooling window of 4; the window must be 2 or 3",
         small);
  ArrayRequest flat = small;
  flat.rows = 2;
  j.pool.size = 3;
  refuse(
      "pool over the array", j,
      "layer l: the array has 2 rows, too few for pooling; a pooling window of 3 needs 3 or more",
      flat);
  t = s;
  t.height = 4;
  j = job(t);
  j.pool = {PoolKind::max, 3};
  refuse("pool over the map", j,
         "layer l: a map of 2 x 7 is smaller than the pooling window of 3; the map must have at "
         "least 3 rows and columns",
         small);
  j = job_of(fc(4, 4), plan(small), 1);
  j.pool = {PoolKind::average, 2};
  refuse("pool of neurons", j,
         "layer l: a fully connected layer has no map to pool; pool after a convolution", small);
  t = s;
  t.kernel = 12;
  refuse("kernel over the map", job(t),
         "layer l: the span of the kernel is 12; it must be at most the padded map", small);
  j = job(s);
  j.weights = Weights(std::vector<std::int32_t>(53, 1));
  refuse("weights", j, "layer l: the layer has 53 weights; it must have 54", small);
  std::vector<std::int32_t> weights(54, 1);
  weights[7] = 128;
  j.weights = Weights(weights);
  refuse("weight", j, "layer l: weight 7 is 128; it must be -128 to 127", small);
  j = job(s);
  j.bias.pop_back();
  refuse("biases", j, "layer l: bias has 2 entries; it must have one for each of 3 output channels",
         small);
  j = job(s);
  j.shift[1] = 48;
  refuse("shift", j, "layer l: shift of output channel 1 is 48; it must be 1 to 47", small);
  j = job(s);
  j.multiplier[2] = 65536;
  refuse("multiplier", j, "layer l: multiplier of output channel 2 is 65536; it must be 0 to 65535",
         small);
  ArrayRequest wide = small;
  wide.data_bits = 12;
  refuse("multiplier of a wide array", job(s),
         "layer l: multiplier of output channel 0 is 47108; it must be 1, because results of more "
         "than 8 bits are only shifted",
         wide);
  // 2^29 / (128 * 128) products of the largest size.
  j = job({.in_channels = 1 << 15, .kernel = 1});
  j.weights = Weights(std::vector<std::int32_t>(1 << 15, -128));
  refuse("sum", j,
         "layer l: a sum of output channel 0 may become -532676608 or 536870912, beyond 30 bits; "
         "use smaller or fewer weights, or narrower data",
         small);
  j = job_of(fc(1 << 18, 1), plan(small), 1);
  j.weights = Weights(std::vector<std::int32_t>(1 << 18, -128));
  refuse("partial sum", j,
         "layer l: a partial sum of output channel 0 may become -1065353216 or 1073741824, beyond "
         "30 bits; use smaller or fewer weights, or narrower data",
         small);
  j = job({.in_channels = 20000, .height = 3, .width = 3, .kernel = 1});
  j.weights = Weights(std::vector<std::int32_t>(20000, -128));
  j.pool = {PoolKind::average, 3};
  refuse("sum of a window", j,
         "layer l: a pooling window's sum of output channel 0 may become -2926080000 or "
         "2949120000, beyond 32 bits; use smaller or fewer weights, or narrower data",
         small);
  t = {.in_channels = 2, .height = 70000 * 4, .kernel = 1};
  refuse("strips", job(t),
         "layer l: 70000 does not fit bits 16 up of descriptor word 5 of engine 4; it must be 1 to "
         "65536",
         small);
  return all;
}

TEST(ArrayProgram, RefusesWithTheReason) {
  for (const Refused& r : refusals()) {
    try {
      compile(plan(r.array), {r.job});
      ADD_FAILURE() << r.name << " is not refused";
    } catch (const DesignError& e) {
      EXPECT_STREQ(e.what(), r.message) << r.name;
    }
  }
}

// One weight less than what is refused above.
TEST(ArrayProgram, SumsMayComeUpToTheirLimits) {
  const ArrayPlan p = plan({.rows = 4, .columns = 4, .accumulators = 4});
  auto filled = [&](const LayerShape& shape, Pool pool) {
    LayerJob j = job_of(shape, p, 1);
    j.weights =
        Weights(std::vector<std::int32_t>(static_cast<std::size_t>(j.weight_count()), -128));
    j.pool = pool;
    return j;
  };
  EXPECT_NO_THROW(compile(p, {filled(conv({.in_channels = (1 << 15) - 1, .kernel = 1}), {})}));
  EXPECT_NO_THROW(compile(p, {filled(fc((1 << 17) - 4, 1), {})}));
  const ConvShape map{.in_channels = 20000, .height = 2, .width = 2, .kernel = 1};
  EXPECT_NO_THROW(compile(p, {filled(conv(map), {PoolKind::average, 2})}));
}

TEST(ArrayProgram, RefusesMoreLayersThanDescriptors) {
  const ArrayPlan p = plan({.rows = 2, .columns = 2, .layers = 2});
  EXPECT_THROW(compile(p, {}), DesignError);
  try {
    compile(p, {3, job_of(fc(4, 4), p, 1)});
    ADD_FAILURE();
  } catch (const DesignError& e) {
    EXPECT_STREQ(e.what(), "the network has 3 layers; the array has descriptors for 1 to 2");
  }
}

// Looked at weight by weight where the widest ones would not fit, otherwise as wide as they can be.
TEST(ArrayProgram, SaysWhatSumsCanBe) {
  const ArrayPlan p = plan({.rows = 2,
                            .columns = 2,
                            .accumulators = 4,
                            .data_bits = 20,
                            .coefficient_bits = 18,
                            .stream_words = 4});
  LayerJob ones{.shape = fc(3000, 1)}, few{.shape = fc(3, 1)};
  ones.weights = Weights(std::vector<std::int32_t>(3000, 1));
  few.weights = Weights({5, -1, 0});
  const Program program = compile(p, {ones, few});
  const auto said = [&](std::size_t layer) {
    std::vector<std::string> all;
    for (const auto& s : program.layers[layer].certificate.statements()) {
      EXPECT_TRUE(s.holds);
      all.push_back(to_string(s));
    }
    return all;
  };
  const std::string room = " within [-140737488355328, 140737488355327]";
  EXPECT_THAT(said(0),
              testing::ElementsAre("partial sums of fc_3000_1: [-393216000, 393215250]" + room,
                                   "sums of fc_3000_1: [-1572864000, 1572861000]" + room));
  EXPECT_THAT(said(1),
              testing::ElementsAre("partial sums of fc_3_1: [-68719476736, 68719476736]" + room,
                                   "sums of fc_3_1: [-206158430208, 206158430208]" + room));
}

}  // namespace array_program_test
}  // namespace kumiki::gen::array
