// SPDX-License-Identifier: Apache-2.0
// The array's netlist against its model in every clock: programs of small layers with random data,
// streams that stop and go, resets in the middle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/lockstep/report.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/array/build.h"
#include "gen/layers/array/model.h"
#include "gen/layers/array/stimulus.h"
#include "ir/check.h"
#include "tests/support/cache.h"

namespace kumiki {
namespace array_lockstep_test {

using gen::array::ArrayIn;
using gen::array::ArrayPlan;

class Arrays : public testing::TestWithParam<gen::array::ArrayRequest> {
 protected:
  void SetUp() override {
    plan_ = gen::array::plan(GetParam());
    in_ = gen::array::input_shape(plan_);
    gen::build_top(builder_, gen::array::build, plan_, in_);
    const auto problems = ir::check(builder_.design());
    for (const auto& problem : problems) ADD_FAILURE() << problem.message;
    ASSERT_TRUE(problems.empty());
    ports_ = ir::layout(builder_.design().top());
  }

  void run(ir::Machine& machine, std::uint64_t cycles) {
    gen::Model<ArrayIn, gen::array::ArrayOut, gen::array::ArrayModel> model(
        in_, gen::array::output_shape(plan_), gen::array::ArrayModel(plan_));
    backends::StimulusOptions options{.seed = 7, .cycles = cycles};
    auto legal = std::make_shared<gen::array::Stimulus>(plan_, 3);
    options.constrain = [this, legal](std::uint64_t cycle, ir::Frame& frame) {
      ArrayIn<gen::Values> values;
      gen::unpack(in_, frame, values);
      legal->drive(cycle, values);
      gen::pack(in_, values, frame);
    };
    backends::Stimulus stimulus(ports_, options);
    const auto result = backends::run_lockstep(model, machine, stimulus, {.cycles = cycles});
    EXPECT_TRUE(result.passed()) << backends::report(builder_.design(), result, "the netlist");
    EXPECT_GT(result.moving_output_bits, result.output_bits / 2);
  }

  ArrayPlan plan_;
  gen::Builder builder_{GetParam().narrow_slices ? ir::Family::series7
                                                 : ir::Family::ultrascale_plus};
  ArrayIn<gen::Hardware> in_;
  ir::PortLayout ports_;
};

TEST_P(Arrays, FollowTheModelNatively) {
  backends::NativeMachine machine(builder_.design());
  run(machine, 60'000);
}

class VerilatedArrays : public Arrays {};

TEST_P(VerilatedArrays, FollowTheModel) {
  backends::VerilatedMachine machine(builder_.design(),
                                     {.cache = backends::Cache(test::shared_cache)});
  run(machine, 30'000);
}

std::string name_of(const testing::TestParamInfo<gen::array::ArrayRequest>& info) {
  const auto& r = info.param;
  return fmt::format("{}x{}_t{}_d{}_c{}_w{}_o{}{}_{}", r.rows, r.columns, r.accumulators,
                     r.data_bits, r.coefficient_bits, r.stream_words, r.output_words,
                     r.split == 2   ? r.batched_fc ? "_cut_batch" : "_cut"
                     : r.batched_fc ? "_batch"
                                    : "",
                     r.max_pool       ? r.average_pool ? "pools" : "max"
                     : r.average_pool ? "average"
                                      : "plain") +
         (r.float32 ? "_f32" : "") + (r.narrow_slices ? "_narrow" : "");
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Arrays,
    testing::Values(
        gen::array::ArrayRequest{.rows = 4, .columns = 4, .accumulators = 4, .reach = 3},
        gen::array::ArrayRequest{.rows = 3,
                                 .columns = 5,
                                 .accumulators = 3,
                                 .reach = 5,
                                 .stream_words = 7,
                                 .output_words = 2},
        gen::array::ArrayRequest{.rows = 5,
                                 .columns = 3,
                                 .accumulators = 2,
                                 .reach = 4,
                                 .stream_words = 18,
                                 .average_pool = false},
        gen::array::ArrayRequest{.rows = 2,
                                 .columns = 6,
                                 .accumulators = 1,
                                 .reach = 3,
                                 .output_words = 3,
                                 .max_pool = false},
        gen::array::ArrayRequest{.rows = 1,
                                 .columns = 2,
                                 .accumulators = 8,
                                 .reach = 1,
                                 .max_pool = false,
                                 .average_pool = false},
        gen::array::ArrayRequest{
            .rows = 3, .columns = 3, .accumulators = 5, .data_bits = 4, .coefficient_bits = 6},
        gen::array::ArrayRequest{
            .rows = 3, .columns = 2, .accumulators = 4, .data_bits = 16, .coefficient_bits = 12},
        gen::array::ArrayRequest{.rows = 2,
                                 .columns = 3,
                                 .accumulators = 3,
                                 .data_bits = 20,
                                 .coefficient_bits = 18,
                                 .stream_words = 6},
        // On slices of the 7 series.
        gen::array::ArrayRequest{.rows = 3,
                                 .columns = 5,
                                 .accumulators = 3,
                                 .reach = 3,
                                 .output_words = 2,
                                 .split = 2,
                                 .narrow_slices = true},
        gen::array::ArrayRequest{.rows = 2,
                                 .columns = 3,
                                 .accumulators = 4,
                                 .reach = 3,
                                 .average_pool = false,
                                 .float32 = true,
                                 .narrow_slices = true},
        gen::array::ArrayRequest{.rows = 2,
                                 .columns = 1,
                                 .accumulators = 3,
                                 .data_bits = 20,
                                 .coefficient_bits = 18,
                                 .narrow_slices = true},
        // Requantised as float32.
        gen::array::ArrayRequest{.rows = 4,
                                 .columns = 3,
                                 .accumulators = 3,
                                 .reach = 3,
                                 .output_words = 2,
                                 .average_pool = false,
                                 .float32 = true},
        gen::array::ArrayRequest{.rows = 3,
                                 .columns = 5,
                                 .accumulators = 2,
                                 .data_bits = 5,
                                 .coefficient_bits = 7,
                                 .stream_words = 9,
                                 .max_pool = false,
                                 .average_pool = false,
                                 .split = 2,
                                 .batched_fc = true,
                                 .float32 = true},
        // Cut in parts: both ways, pairs that must stay together, one way only.
        gen::array::ArrayRequest{.rows = 5,
                                 .columns = 8,
                                 .accumulators = 3,
                                 .reach = 4,
                                 .stream_words = 10,
                                 .output_words = 2,
                                 .split = 2},
        gen::array::ArrayRequest{
            .rows = 7, .columns = 7, .accumulators = 2, .stream_words = 9, .split = 2},
        gen::array::ArrayRequest{.rows = 1,
                                 .columns = 6,
                                 .accumulators = 4,
                                 .reach = 2,
                                 .average_pool = false,
                                 .split = 2},
        gen::array::ArrayRequest{
            .rows = 5, .columns = 2, .accumulators = 1, .max_pool = false, .split = 2},
        gen::array::ArrayRequest{.rows = 3,
                                 .columns = 5,
                                 .accumulators = 2,
                                 .data_bits = 12,
                                 .coefficient_bits = 9,
                                 .output_words = 3,
                                 .split = 2},
        // Batches at once: odd columns, one row, A and B turned round.
        gen::array::ArrayRequest{.rows = 4,
                                 .columns = 6,
                                 .accumulators = 3,
                                 .stream_words = 12,
                                 .output_words = 2,
                                 .batched_fc = true},
        gen::array::ArrayRequest{.rows = 5,
                                 .columns = 3,
                                 .accumulators = 2,
                                 .stream_words = 11,
                                 .split = 2,
                                 .batched_fc = true},
        gen::array::ArrayRequest{
            .rows = 1, .columns = 2, .accumulators = 4, .stream_words = 3, .batched_fc = true},
        gen::array::ArrayRequest{.rows = 2,
                                 .columns = 3,
                                 .accumulators = 3,
                                 .data_bits = 20,
                                 .coefficient_bits = 18,
                                 .stream_words = 6,
                                 .batched_fc = true}),
    name_of);

INSTANTIATE_TEST_SUITE_P(Shapes, VerilatedArrays,
                         testing::Values(gen::array::ArrayRequest{.rows = 3,
                                                                  .columns = 3,
                                                                  .accumulators = 4,
                                                                  .reach = 3,
                                                                  .stream_words = 9,
                                                                  .output_words = 2,
                                                                  .split = 2,
                                                                  .batched_fc = true},
                                         gen::array::ArrayRequest{.rows = 2,
                                                                  .columns = 2,
                                                                  .accumulators = 3,
                                                                  .data_bits = 20,
                                                                  .coefficient_bits = 18},
                                         gen::array::ArrayRequest{.rows = 3,
                                                                  .columns = 4,
                                                                  .accumulators = 2,
                                                                  .reach = 2,
                                                                  .output_words = 2,
                                                                  .average_pool = false,
                                                                  .float32 = true}),
                         name_of);

}  // namespace array_lockstep_test
}  // namespace kumiki
