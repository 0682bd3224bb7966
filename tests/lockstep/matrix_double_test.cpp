// SPDX-License-Identifier: Apache-2.0
// Matrices whose chains and memories run at twice the clock of their streams.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/layers/matrix/layer.h"
#include "ir/resources.h"
#include "tests/support/cache.h"
#include "tests/support/network_rig.h"
#include "tests/support/seed.h"

namespace kumiki::gen {
namespace matrix_double_test {

using matrix::MatrixRequest;
using matrix::Sharing;
using packing::Scheme;
using ::testing::HasSubstr;

struct DoubleMatrices : test::NetworkRig {
  explicit DoubleMatrices(const std::vector<MatrixRequest>& requests)
      : NetworkRig(test::layers_of("conv2d", requests, matrix::make_layer)) {}

  // Ready and valid bits are compared in every cycle; results came as well.
  void expect_results(const backends::LockstepResult& result) const {
    std::size_t always = 0;
    for (const auto& p : ports.outputs)
      always += p.name.ends_with("_ready") || p.name.ends_with("_valid") ? 1 : 0;
    EXPECT_GT(result.comparisons, result.cycles * always + 20 * layers.size());
  }
};

std::vector<std::int64_t> some_weights(const MatrixRequest& r) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < r.shape.weight_count(); ++i)
    all.push_back(r.weights.interval().lo +
                  i * 7919 % (static_cast<std::int64_t>(r.weights.interval().span()) + 1));
  return all;
}

// Kernels, strides, borders, beats of several words, weights embedded and from the port.
std::vector<MatrixRequest> sweep() {
  std::vector<MatrixRequest> all;
  int turn = 0;
  for (const std::int64_t kernel : {1, 2, 3})
    for (const std::int64_t padding : {0, 1})
      for (const std::int64_t width : {3, 4})
        for (const std::int64_t channels : {1, 4, 5}) {
          MatrixRequest r{.shape = {.in_channels = channels,
                                    .height = 4,
                                    .width = width,
                                    .out_channels = 3,
                                    .kernel_height = kernel,
                                    .kernel_width = kernel,
                                    .stride = 1 + turn % 2,
                                    .padding = padding},
                          .sharing = turn % 2 == 0 ? Sharing::Weight : Sharing::Input,
                          .rows = channels == 1   ? 2
                                  : channels == 4 ? 4
                                                  : 6,
                          .columns = 1 + turn % 3 % 2,
                          .is_double = true};
          if (turn % 3 == 0) r.beat = std::int64_t{1} << (1 + turn / 3 % 3);
          if (++turn % 3 != 0) r.values = some_weights(r);
          all.push_back(r);
        }
  return all;
}

TEST(MatrixDouble, EverySmallShape) {
  const auto all = sweep();
  for (std::size_t first = 0; first < all.size(); first += 9) {
    DoubleMatrices m({all.begin() + static_cast<std::ptrdiff_t>(first),
                      all.begin() + static_cast<std::ptrdiff_t>(std::min(first + 9, all.size()))});
    EXPECT_EQ(ir::check(m.design(), {.warnings = false}).size(), 0u);
    m.expect_results(m.run_native(2500));
    if (HasFailure()) FAIL() << "shapes from number " << first << " on";
  }
}

TEST(MatrixDouble, EveryFoldingSchemeAsAColumn) {
  std::vector<MatrixRequest> all;
  for (const auto scheme : {Scheme::SharedDrain, Scheme::CarryLaneDrain, Scheme::WrapCounter,
                            Scheme::Wp487Int8Lut, Scheme::OffsetBinary, Scheme::Single}) {
    MatrixRequest r{.shape = {.in_channels = 6, .width = 6, .out_channels = 4, .kernel_width = 2},
                    .scheme = scheme,
                    .rows = 6,
                    .columns = 2,
                    .is_double = true};
    r.values = some_weights(r);
    try {
      matrix::plan(r);
    } catch (const DesignError&) {
      continue;  // not a scheme that runs over several clocks
    }
    all.push_back(r);
  }
  ASSERT_GE(all.size(), 4u);
  DoubleMatrices m(all);
  m.expect_results(m.run_native(4000));
}

TEST(MatrixDouble, OnVerilator) {
  DoubleMatrices m(test::this_time(sweep(), 18));
  m.expect_results(m.run_verilated(2000, test::shared_cache));
}

TEST(MatrixDouble, MistakesAreCaught) {
  MatrixRequest r{.shape = {.in_channels = 4,
                            .height = 3,
                            .width = 3,
                            .out_channels = 3,
                            .kernel_height = 2,
                            .kernel_width = 2,
                            .padding = 1},
                  .rows = 4,
                  .columns = 1,
                  .is_double = true};
  r.values = some_weights(r);
  DoubleMatrices({r}).expect_mutants_seen(40, 600, 1000, true);
}

// INT8 products for a slice in a clock of the fabric, and LUTs for that rate, memories of LUTs
// included.
TEST(MatrixDouble, AnEngineOf256SlicesAndMore) {
  MatrixRequest r{.shape = {.in_channels = 64,
                            .height = 4,
                            .width = 4,
                            .out_channels = 64,
                            .kernel_height = 3,
                            .kernel_width = 3,
                            .padding = 1},
                  .objective = packing::Objective::LeastArea,
                  .rows = 64,
                  .columns = 16,
                  .is_double = true};
  r.values = some_weights(r);
  const auto plan = matrix::plan(r);
  DoubleMatrices m({r});
  const auto cost = ir::count_resources(m.design()).total;
  EXPECT_EQ(cost.dsps, static_cast<std::uint64_t>(plan.slices()));
  EXPECT_GE(plan.slices(), 256);
  EXPECT_EQ(plan.peak(), 4.0);
  EXPECT_LE(static_cast<double>(cost.luts + cost.lut_rams),
            1.2 * static_cast<double>(plan.macs_per_clock()));
  m.expect_results(m.run_native(3000));
}

TEST(MatrixDouble, AnOddNumberOfRowsIsRefused) {
  MatrixRequest r{.shape = {.in_channels = 3, .width = 4}, .rows = 3, .columns = 1};
  r.is_double = true;
  try {
    matrix::plan(r);
    ADD_FAILURE() << "taken";
  } catch (const DesignError& e) {
    EXPECT_THAT(e.what(), HasSubstr("must be even with double clocking"));
  }
}

}  // namespace matrix_double_test
}  // namespace kumiki::gen
