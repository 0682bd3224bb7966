// SPDX-License-Identifier: Apache-2.0
// The model of the array with a host at its ports: chains of layers, streams that stall, and what
// the host refuses.
#include <gtest/gtest.h>

#include "ir/error.h"
#include "tests/gen/layers/array/jobs.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::array {
namespace array_model_test {

using test::conv;
using test::fc;
using test::job_of;
using test::own_inputs;
using test::run;

// A network whose layers take the outputs of those before.
std::vector<LayerJob> chain(const ArrayPlan& p) {
  const ConvShape first{.in_channels = 2,
                        .height = 15,
                        .width = 13,
                        .out_channels = 5,
                        .kernel = 3,
                        .padding_before = 1,
                        .padding_after = 1};
  const ConvShape second{.in_channels = 5, .height = 7, .width = 6, .out_channels = 7, .kernel = 2};
  return {job_of(conv(first), p, 1, {PoolKind::max, 3}, true), job_of(conv(second), p, 2),
          job_of(fc(7 * 6 * 5, 23), p, 3, {}, true), job_of(fc(23, 9), p, 4)};
}

TEST(ArrayModelRun, LayersTakeWhatComesOutOfTheOneBefore) {
  const ArrayPlan p = plan({.rows = 5, .columns = 4, .accumulators = 4, .stream_words = 6});
  ArrayModel model(p);
  const Program program = compile(p, chain(p));
  std::vector<std::optional<Tensor>> inputs(4);
  inputs[0] = random_tensor(program.layers[0].job.in_shape(), 3, 8);
  const auto fast = run(model, program, inputs);
  std::int64_t before = 0, after = 0;
  for (const Measured& m : fast) before += m.clocks;
  for (int stall : {10, 100, 200}) {
    after = 0;
    for (const Measured& m : run(model, program, inputs, Stalls::all(9, stall))) after += m.clocks;
    EXPECT_GT(after, before);
    before = after;
  }
}

// What one stream's stalls do to the others: nothing but waiting.
TEST(ArrayModelRun, EachStreamStallsAlone) {
  const ArrayPlan p = plan({.rows = 3, .columns = 4, .accumulators = 2, .stream_words = 12});
  ArrayModel model(p);
  const Program program = compile(p, chain(p));
  for (int Stalls::*stream :
       {&Stalls::individual, &Stalls::common, &Stalls::parameters, &Stalls::output}) {
    Stalls stalls;
    stalls.*stream = 230;
    run(model, program, own_inputs(program, 2), stalls);
  }
}

TEST(ArrayModelRun, RefusesMapsThatDoNotFitOneAnother) {
  const ArrayPlan p = plan({.rows = 4, .columns = 4});
  const Program program = compile(p, {job_of(fc(4, 5), p, 1), job_of(fc(6, 7), p, 2)});
  auto refusal = [&](std::vector<std::optional<Tensor>> inputs) {
    return kumiki::test::refusal<DesignError>([&] { Player player(program, std::move(inputs)); });
  };
  const Tensor four(MapShape{1, 2, 2}), six(MapShape{6, 1, 1});
  EXPECT_EQ(refusal({four}), "there are 1 inputs for 2 layers; give one for each layer");
  EXPECT_EQ(refusal({std::nullopt, six}), "layer fc_4_5 has no input; give it a map");
  EXPECT_EQ(refusal({four, std::nullopt}), "layer fc_6_7 takes 6 x 1 x 1, its input has 5 x 1 x 1");
  EXPECT_EQ(refusal({four, six}), "not refused");
}

// A host that is given the wrong words says which.
TEST(ArrayModelRun, NamesTheFirstDifference) {
  const LayerJob job{.shape = fc(1, 1)};
  Tensor a(MapShape{2, 3, 4}), b = a;
  EXPECT_EQ(first_difference(job, a, b), std::nullopt);
  b.at(1, 2, 3) = -7;
  EXPECT_EQ(first_difference(job, a, b),
            "layer fc_1_1, channel 1, row 2, column 3: expected 0, got -7");
}

}  // namespace array_model_test
}  // namespace kumiki::gen::array
