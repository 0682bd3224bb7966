// SPDX-License-Identifier: Apache-2.0
// Sums of products in LUTs in lockstep with the plain sum: shapes, lengths, stalls, resets; all
// operands at their ends; and netlists that are wrong in one place.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/lut_macc/build.h"
#include "gen/layers/lut_macc/layer.h"
#include "gen/layers/lut_macc/model.h"
#include "tests/support/cache.h"
#include "tests/support/long_form.h"
#include "tests/support/network_rig.h"

namespace kumiki::gen {
namespace lut_macc_lockstep_test {

using lut_macc::Request;
using lut_macc::Sum;

std::vector<Request> requests(const std::vector<int>& lengths) {
  std::vector<Request> all;
  for (const Sum sum : {Sum::tree, Sum::systolic})
    for (const int terms : lengths) {
      all.push_back({.terms = terms, .sum = sum});
      all.push_back(
          {.terms = terms, .a = {8, false}, .b = {8, true}, .sum = sum, .rows_per_stage = 2});
      all.push_back({.terms = terms, .a = {4, true}, .b = {9, false}, .sum = sum});
      all.push_back(
          {.terms = terms, .a = {5, false}, .b = {6, false}, .sum = sum, .rows_per_stage = 3});
    }
  return all;
}

struct Maccs : test::NetworkRig {
  explicit Maccs(const std::vector<int>& lengths)
      : NetworkRig(test::layers_of("lut_macc", requests(lengths), lut_macc::make_layer)) {
    options.stall = 0.15;
    options.resets = 6;
  }
};

TEST(LutMaccLockstep, EveryLengthOnTheNativeSimulator) {
  Maccs maccs({1, 2, 3, 7, 8, 9, 16, 63, 64, 65});
  EXPECT_GT(maccs.run_native(1500).comparisons, 1500 * maccs.layers.size() * 5 / 4);
}

TEST(LutMaccLockstep, OnVerilator) {
  Maccs maccs(test::long_form() ? std::vector{1, 2, 5} : std::vector{1, 3});
  EXPECT_GT(maccs.run_verilated(3000, test::shared_cache).comparisons,
            3000 * maccs.layers.size() * 5 / 4);
}

TEST(LutMaccLockstep, SevenSeriesHasItToo) {
  Builder builder(ir::Family::series7);
  const auto p = *lut_macc::plan({.terms = 9});
  build_top(builder, lut_macc::build, p, p.input_shape());
  const auto result = backends::run_lanes(
      [&]() -> std::unique_ptr<ir::Machine> {
        return std::make_unique<Model<lut_macc::MaccIn, lut_macc::MaccOut, lut_macc::MaccModel>>(
            p.input_shape(), p.output_shape(), lut_macc::MaccModel(p));
      },
      builder.design(), 64, {.seed = 4, .cycles = 500}, {.cycles = 500});
  EXPECT_TRUE(result.passed()) << backends::report(builder.design(), result, "native");
}

// The longest sum of every sign: all operands at their ends at once, -128 x -128 among them.
TEST(LutMaccLockstep, SumsAtTheirEnds) {
  for (const Sum sum : {Sum::tree, Sum::systolic})
    for (const int terms : {9, 256}) {
      const auto p = *lut_macc::plan({.terms = terms, .sum = sum});
      Builder builder;
      build_top(builder, lut_macc::build, p, p.input_shape());
      backends::NativeMachine machine(builder.design());
      for (const std::int64_t a : {-128, -127, -1, 0, 1, 127})
        for (const std::int64_t b : {-128, -127, -1, 0, 1, 127}) {
          machine.power_up();
          lut_macc::MaccIn<Values> in{.rst = false, .en = true, .in_valid = true, .a = {}, .b = {}};
          in.a.assign(static_cast<std::size_t>(terms), static_cast<std::uint64_t>(a) & 0xff);
          in.b.assign(static_cast<std::size_t>(terms), static_cast<std::uint64_t>(b) & 0xff);
          lut_macc::MaccOut<Values> out;
          ir::Frame frame, got;
          pack(p.input_shape(), in, frame);
          for (int k = 0; k <= p.latency(); ++k) machine.step(frame, got);
          unpack(p.output_shape(), got, out);
          ASSERT_TRUE(out.out_valid);
          ASSERT_EQ(out.sum, static_cast<std::uint64_t>(terms * a * b) &
                                 ((std::uint64_t{1} << p.sum_bits) - 1))
              << terms << " * " << a << " * " << b;
        }
    }
}

TEST(LutMaccLockstep, AChangedNetlistIsSeen) { Maccs({1, 5}).expect_mutants_seen(90); }

}  // namespace lut_macc_lockstep_test
}  // namespace kumiki::gen
