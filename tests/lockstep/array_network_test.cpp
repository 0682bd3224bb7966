// SPDX-License-Identifier: Apache-2.0
// Networks on the netlist of one array, one after the other without a word in between but data: the
// results are those of the layers by definition. Streams wait, and a reset comes in the middle.
#include <gtest/gtest.h>

#include "backends/sim/native/machine.h"
#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/array/build.h"
#include "gen/layers/array/player.h"
#include "tests/gen/layers/array/jobs.h"

namespace kumiki {
namespace array_network_test {

using namespace gen::array;
using gen::array::test::conv;
using gen::array::test::fc;
using gen::array::test::job_of;

// The netlist with the ports of an array.
class Netlist {
 public:
  explicit Netlist(const ArrayPlan& plan)
      : in_(input_shape(plan)), out_(output_shape(plan)), machine_(design(plan)) {
    machine_.power_up();
  }
  const ArrayOut<gen::Values>& step(const ArrayIn<gen::Values>& in) {
    gen::pack(in_, in, in_frame_);
    machine_.step(in_frame_, out_frame_);
    gen::unpack(out_, out_frame_, out_values_);
    return out_values_;
  }

 private:
  const ir::Design& design(const ArrayPlan& plan) {
    gen::build_top(builder_, gen::array::build, plan, in_);
    return builder_.design();
  }
  gen::Builder builder_;
  ArrayIn<gen::Hardware> in_;
  ArrayOut<gen::Hardware> out_;
  backends::NativeMachine machine_;
  ir::Frame in_frame_, out_frame_;
  ArrayOut<gen::Values> out_values_;
};

std::vector<LayerJob> first_network(const ArrayPlan& p) {
  return {job_of(conv({.in_channels = 2,
                       .height = 9,
                       .width = 8,
                       .out_channels = 5,
                       .kernel = 3,
                       .padding_before = 1,
                       .padding_after = 1}),
                 p, 1, {PoolKind::max, 2}, true),
          job_of(conv({.in_channels = 5,
                       .height = 4,
                       .width = 4,
                       .out_channels = 5,
                       .kernel = 2,
                       .groups = 5}),
                 p, 2),
          job_of(fc(45, 21), p, 3, {}, true), job_of(fc(21, 2), p, 4)};
}

std::vector<LayerJob> second_network(const ArrayPlan& p) {
  return {job_of(conv({.in_channels = 1,
                       .height = 11,
                       .width = 11,
                       .out_channels = 4,
                       .kernel = 5,
                       .stride = 3,
                       .padding_before = 2,
                       .padding_after = 1}),
                 p, 5, {}, true),
          job_of(conv({.in_channels = 4,
                       .height = 4,
                       .width = 4,
                       .out_channels = 6,
                       .kernel = 2,
                       .dilation = 2,
                       .groups = 2}),
                 p, 6, {p.request.average_pool ? PoolKind::average : PoolKind::max, 2}),
          job_of(conv({.in_channels = 6, .height = 1, .width = 1, .out_channels = 7}), p, 7)};
}

// Until it is through, or so many clocks.
void run(Netlist& netlist, const ArrayPlan& plan, std::vector<LayerJob> jobs, int stalls,
         std::int64_t cut_short = 0) {
  const Program program = compile(plan, std::move(jobs));
  std::vector<std::optional<Tensor>> inputs(program.layers.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const LayerJob& job = program.layers[i].job;
    if (i == 0 || !job.takes(program.layers[i - 1].job.out_shape()))
      inputs[i] = random_tensor(job.in_shape(), 9 + i, plan.request.data_bits);
  }
  Player player(program, inputs, Stalls::all(3, stalls));
  ArrayIn<gen::Values> in{};
  for (bool more = true; more;) {
    player.drive(in);
    more = player.watch(netlist.step(in));
    if (cut_short != 0 && player.clocks() == cut_short) {
      in.rst = true;
      netlist.step(in);
      return;
    }
    ASSERT_LT(player.clocks(), 200'000) << "the array hangs";
  }
  const auto right = reference(program, inputs);
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto wrong = first_difference(program.layers[i].job, right[i], player.results()[i]);
    EXPECT_FALSE(wrong) << *wrong;
    if (stalls == 0 && program.layers[i].figures.exact && i > 0) {
      EXPECT_GE(player.measured()[i].clocks, program.layers[i].figures.clocks);
    }
  }
}

class Networks : public testing::TestWithParam<ArrayRequest> {};

TEST_P(Networks, RunOneAfterTheOtherOnOneNetlist) {
  const ArrayPlan p = plan(GetParam());
  Netlist netlist(p);
  run(netlist, p, first_network(p), 0);
  run(netlist, p, second_network(p), 0);
  run(netlist, p, first_network(p), 90, 700);
  run(netlist, p, second_network(p), 60);
  run(netlist, p, first_network(p), 60);
}

// Maps for four parts, for two, for one, and a batch at once between neurons of one image.
std::vector<LayerJob> parts_and_batches(const ArrayPlan& p) {
  const ConvShape four{.in_channels = 2,
                       .height = 3,
                       .width = 4,
                       .out_channels = 19,
                       .kernel = 3,
                       .padding_before = 1,
                       .padding_after = 1};
  ConvShape flat = four, large = four;
  flat.in_channels = 19;
  flat.groups = 19;
  flat.out_channels = 38;
  large.in_channels = 38;
  large.out_channels = 9;
  large.height = 7;
  large.width = 3;
  return {job_of(conv(four), p, 1, {}, true), job_of(conv(flat), p, 2),
          job_of(conv(large), p, 3),          job_of(fc(20, 13, 9), p, 4, {}, true),
          job_of(fc(13, 4, 9), p, 5),         job_of(fc(36, 11), p, 6)};
}

TEST(NetworksInParts, AndBatchesAtOnce) {
  ArrayRequest r{.rows = 6,
                 .columns = 9,
                 .accumulators = 2,
                 .reach = 4,
                 .stream_words = 20,
                 .window_words = 72,
                 .output_words = 2,
                 .split = 2,
                 .batched_fc = true};
  for (const int rows : {6, 7})
    for (const int bits : {8, 12}) {
      r.rows = rows;
      r.data_bits = bits;
      const ArrayPlan p = plan(r);
      const Program program = compile(p, parts_and_batches(p));
      // Six rows whose last elements pair downwards are cut in two of two.
      EXPECT_EQ(program.layers[0].layout.parts.parts(), rows == 6 && bits == 8 ? 2 : 4);
      EXPECT_EQ(program.layers[1].layout.parts.parts(), 1);  // a channel a group: no use in parts
      EXPECT_EQ(program.layers[2].layout.parts.parts(), 2);
      Netlist netlist(p);
      run(netlist, p, parts_and_batches(p), 0);
      run(netlist, p, second_network(p), 30);
      run(netlist, p, parts_and_batches(p), 90, 900);
      run(netlist, p, parts_and_batches(p), 60);
    }
}

std::string name_of(const testing::TestParamInfo<ArrayRequest>& info) {
  const ArrayRequest& r = info.param;
  return fmt::format("{}x{}_t{}_b{}{}", r.rows, r.columns, r.accumulators, r.data_bits,
                     r.float32 ? "_f32" : "");
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Networks,
    testing::Values(ArrayRequest{.rows = 4,
                                 .columns = 4,
                                 .accumulators = 4,
                                 .reach = 4,
                                 .stream_words = 16,
                                 .window_words = 72,
                                 .output_words = 2},
                    ArrayRequest{.rows = 5, .columns = 3, .accumulators = 1, .reach = 4},
                    ArrayRequest{.rows = 3,
                                 .columns = 5,
                                 .accumulators = 8,
                                 .data_bits = 6,
                                 .coefficient_bits = 5,
                                 .reach = 4,
                                 .stream_words = 8,
                                 .window_words = 72},
                    ArrayRequest{.rows = 4,
                                 .columns = 3,
                                 .accumulators = 2,
                                 .data_bits = 20,
                                 .coefficient_bits = 18,
                                 .reach = 4},
                    ArrayRequest{.rows = 4,
                                 .columns = 5,
                                 .accumulators = 3,
                                 .reach = 4,
                                 .stream_words = 16,
                                 .window_words = 72,
                                 .output_words = 2,
                                 .average_pool = false,
                                 .float32 = true}),
    name_of);

}  // namespace array_network_test
}  // namespace kumiki
