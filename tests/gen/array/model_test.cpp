// SPDX-License-Identifier: Apache-2.0
// The model of the array with a host at its ports, against the reference: every small shape, every
// stream stalling, network after network.
#include <gtest/gtest.h>

#include "tests/gen/array/jobs.h"

namespace kumiki::gen::array {
namespace {

using test::conv;
using test::fc;
using test::job_of;
using test::own_inputs;
using test::run;

TEST(ArrayModelRun, AConvolution) {
  const ArrayPlan p = plan({.rows = 4, .columns = 4, .accumulators = 4});
  ArrayModel model(p);
  const Program program = compile(p, {job_of(conv({.in_channels = 3,
                                                   .height = 9,
                                                   .width = 9,
                                                   .out_channels = 5,
                                                   .kernel = 3,
                                                   .padding_before = 1,
                                                   .padding_after = 1}),
                                             p, 1)});
  run(model, program, own_inputs(program, 2));
}

TEST(ArrayModelRun, AFullyConnectedLayer) {
  const ArrayPlan p = plan({.rows = 4, .columns = 4, .accumulators = 4, .stream_words = 7});
  ArrayModel model(p);
  const Program program = compile(p, {job_of(fc(33, 29), p, 1)});
  run(model, program, own_inputs(program, 2));
}

}  // namespace
}  // namespace kumiki::gen::array
