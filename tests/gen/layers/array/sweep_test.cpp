// SPDX-License-Identifier: Apache-2.0
// All small shapes on the model, several networks of them one after the other on the same array,
// without and with streams that stall.
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/error.h"
#include "tests/gen/layers/array/jobs.h"

namespace kumiki::gen::array {
namespace array_sweep_test {

using test::conv;
using test::fc;
using test::job_of;
using test::own_inputs;
using test::run;

// One of `count` numbers from `low` on, by chance but always the same.
std::int64_t any(std::uint64_t seed, std::uint64_t what, std::int64_t low, std::int64_t count) {
  return low + (random_number(seed, what, 24) & 0xFFFFFF) % count;
}

// Every kernel, stride, dilation, padding, height and width that fit one another; the rest by
// chance.
std::vector<ConvShape> all_shapes(std::int64_t largest_kernel) {
  std::vector<ConvShape> all;
  std::uint64_t seed = 0;
  for (std::int64_t kernel = 1; kernel <= largest_kernel; ++kernel)
    for (std::int64_t stride = 1; stride <= 4; ++stride)
      for (std::int64_t dilation = 1; dilation <= (kernel > 1 ? 2 : 1); ++dilation)
        for (std::int64_t padding = 0; padding <= std::min<std::int64_t>(kernel - 1, 3); ++padding)
          for (std::int64_t size = 0; size < 81; ++size) {
            ++seed;
            ConvShape s{.height = 1 + size / 9,
                        .width = 1 + size % 9,
                        .kernel = kernel,
                        .stride = stride,
                        .dilation = dilation,
                        .padding_before = padding,
                        .padding_after = any(seed, 1, 0, padding + 1)};
            s.groups = any(seed, 2, 0, 4) == 0 ? any(seed, 3, 2, 2) : 1;
            const std::int64_t most = s.groups == 1 ? 5 : 2;
            s.in_channels = s.groups * any(seed, 4, 1, most);
            s.out_channels = s.groups * any(seed, 5, 1, most);
            if (s.out_height() >= 1 && s.out_width() >= 1) all.push_back(s);
          }
  return all;
}

Pool any_pool(std::uint64_t seed, const LayerShape& shape, const ArrayPlan& p) {
  const Pool pool{static_cast<PoolKind>(any(seed, 6, 0, p.request.average_pool ? 3 : 2)),
                  static_cast<int>(any(seed, 7, 2, 2))};
  const bool fits = shape.conv.out_height() >= pool.size && shape.conv.out_width() >= pool.size &&
                    p.rows() >= pool.size && p.columns() >= pool.size;
  return fits ? pool : Pool{};
}

// Networks of ten layers each.
void sweep(const ArrayPlan& p, std::int64_t largest_kernel, std::size_t every, int stall) {
  ArrayModel model(p);
  std::vector<LayerJob> network;
  std::size_t done = 0, exact = 0;
  auto play = [&] {
    const Program program = compile(p, std::move(network));
    network.clear();
    const Stalls stalls = stall < 0 ? Stalls{done, static_cast<int>(any(done, 1, 0, 200)),
                                             static_cast<int>(any(done, 2, 0, 200)),
                                             static_cast<int>(any(done, 3, 0, 200)),
                                             static_cast<int>(any(done, 4, 0, 200))}
                                    : Stalls::all(done, stall);
    const auto measured = run(model, program, own_inputs(program, done), stalls);
    const Figures& first = program.layers[0].figures;
    if (stall == 0 && first.exact) {
      ++exact;
      EXPECT_EQ(measured[0].clocks, first.clocks + first.fill);
    }
    done += program.layers.size();
    if (::testing::Test::HasFailure()) {
      std::string names;
      for (const ProgramLayer& l : program.layers)
        names += fmt::format(" {} pool {} {}\n", l.job.shape.name,
                             static_cast<int>(l.job.pool.kind), l.job.pool.size);
      FAIL() << "network:\n" << names;
    }
  };
  const std::vector<ConvShape> shapes = all_shapes(largest_kernel);
  for (std::size_t i = 0; i < shapes.size(); i += every) {
    const LayerShape shape = conv(shapes[i]);
    network.push_back(job_of(shape, p, i, any_pool(i, shape, p), any(i, 8, 0, 2) == 0));
    if (any(i, 9, 0, 5) == 0)
      network.push_back(job_of(
          fc(any(i, 10, 1, 60), any(i, 11, 1, 60), p.request.batched_fc ? any(i, 12, 1, 15) : 1), p,
          i));
    if (network.size() >= 9) play();
    if (::testing::Test::HasFatalFailure()) return;
  }
  if (!network.empty()) play();
  EXPECT_GT(done, 300u);
  EXPECT_TRUE(stall != 0 || exact > 10) << exact;
}

ArrayRequest small(int rows, int columns, int depth) {
  return {.rows = rows,
          .columns = columns,
          .accumulators = depth,
          .reach = 17,
          .window_words = 16 * 32,
          .common_words = 256};
}

TEST(ArraySweep, EveryShape) { sweep(plan(small(4, 4, 4)), 9, 1, 0); }

TEST(ArraySweep, EveryShapeOnAnOddArray) {
  ArrayRequest r = small(5, 3, 8);
  r.output_words = 3;
  r.stream_words = 10;
  sweep(plan(r), 9, 1, 0);
}

TEST(ArraySweep, ThreeByFive) {
  ArrayRequest r = small(3, 5, 3);
  r.stream_words = 17;
  r.output_words = 2;
  sweep(plan(r), 9, 5, 0);
}

TEST(ArraySweep, OneAccumulator) { sweep(plan(small(5, 3, 1)), 5, 3, 0); }

TEST(ArraySweep, OnePair) { sweep(plan(small(1, 2, 2)), 5, 7, 0); }

TEST(ArraySweep, TwoAccumulatorsAndStalls) {
  ArrayRequest r = small(7, 6, 2);
  r.stream_words = 40;
  r.output_words = 4;
  sweep(plan(r), 7, 5, 80);
}

TEST(ArraySweep, StallsOfEveryKind) {
  ArrayRequest r = small(5, 7, 8);
  r.output_words = 3;
  sweep(plan(r), 5, 3, -1);
}

TEST(ArraySweep, BatchesAtOnce) {
  ArrayRequest r = small(4, 6, 3);
  r.batched_fc = true;
  r.stream_words = 12;
  sweep(plan(r), 5, 3, 0);
  r.rows = 5;
  r.columns = 3;
  r.output_words = 2;
  sweep(plan(r), 5, 5, -1);
  r.data_bits = 20;
  r.coefficient_bits = 18;
  r.split = 2;
  sweep(plan(r), 5, 7, 60);
}

// Every number of inputs, outputs and images around the array's own.
TEST(ArraySweep, EverySmallBatch) {
  ArrayRequest r = small(3, 5, 2);
  r.batched_fc = true;
  r.stream_words = 20;
  const ArrayPlan p = plan(r);
  ArrayModel model(p);
  for (std::int64_t inputs = 1; inputs <= 6; ++inputs)
    for (std::int64_t outputs = 1; outputs <= 8; ++outputs) {
      std::vector<LayerJob> network;
      for (std::int64_t batch = 1; batch <= 11; ++batch)
        network.push_back(job_of(fc(inputs, outputs, batch), p, 1));
      const Program program = compile(p, std::move(network));
      run(model, program, own_inputs(program, 1));
    }
}

TEST(ArraySweep, ABatchTakesTheCyclesOfTheFormula) {
  ArrayRequest r = small(8, 6, 4);
  r.batched_fc = true;
  r.stream_words = 14;
  r.output_words = 6;
  const ArrayPlan p = plan(r);
  ArrayModel model(p);
  const Program program = compile(p, {job_of(fc(300, 40, 6), p, 1), job_of(fc(500, 24, 11), p, 2)});
  EXPECT_EQ(program.layers[0].figures.steps, 300 * 5);
  EXPECT_EQ(program.layers[1].figures.steps, 500 * 3 * 2);
  const auto measured = run(model, program, own_inputs(program, 1));
  for (std::size_t i = 0; i < 2; ++i) {
    const Figures& f = program.layers[i].figures;
    EXPECT_EQ(f.formula.cycles, f.steps);
    EXPECT_EQ(measured[i].clocks, f.steps + ArrayPlan::layer_overhead + (i == 0 ? f.fill : 0));
    EXPECT_EQ(measured[i].common_words, 0);
  }
  EXPECT_EQ(measured[0].individual_words, program.layers[0].figures.formula.input_words);
}

// A third of the shapes is small enough for parts; channels of several turns.
TEST(ArraySweep, SubBlocks) {
  ArrayRequest r = small(8, 8, 1);
  r.split = 2;
  r.output_words = 2;
  sweep(plan(r), 9, 3, 0);
  r.accumulators = 3;
  sweep(plan(r), 5, 7, 60);
}

TEST(ArraySweep, SubBlocksOfAnOddArray) {
  ArrayRequest r = small(11, 9, 2);
  r.split = 2;
  r.stream_words = 30;
  sweep(plan(r), 7, 3, 0);
  r.columns = 11;
  r.rows = 7;
  sweep(plan(r), 5, 7, -1);
}

TEST(ArraySweep, SubBlocksOfASlice) {
  ArrayRequest r = small(5, 3, 1);
  r.split = 2;
  r.data_bits = 12;
  sweep(plan(r), 5, 5, 0);
  r.columns = 1;
  sweep(plan(r), 5, 9, 0);
}

TEST(ArraySweep, WideOperands) {
  ArrayRequest r = small(3, 4, 3);
  r.data_bits = 20;
  r.coefficient_bits = 18;
  r.stream_words = 9;
  sweep(plan(r), 5, 3, 0);
  r.data_bits = 9;
  r.coefficient_bits = 4;
  sweep(plan(r), 5, 9, 60);
}

// Scales and zero points as in trained networks: padding is the zero point, ties go to even.
TEST(ArraySweep, RequantisedAsFloat32) {
  ArrayRequest r = small(5, 3, 4);
  r.average_pool = false;
  r.float32 = true;
  r.output_words = 2;
  sweep(plan(r), 5, 3, 0);
  r.split = 2;
  r.batched_fc = true;
  r.stream_words = 10;
  sweep(plan(r), 5, 5, -1);
  r.data_bits = 5;
  r.coefficient_bits = 7;
  sweep(plan(r), 5, 9, 60);
}

TEST(ArraySweep, NarrowOperands) {
  ArrayRequest r = small(4, 3, 4);
  r.data_bits = 4;
  r.coefficient_bits = 6;
  sweep(plan(r), 5, 9, 0);
}

}  // namespace array_sweep_test
}  // namespace kumiki::gen::array
