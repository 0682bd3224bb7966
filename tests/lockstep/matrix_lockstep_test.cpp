// SPDX-License-Identifier: Apache-2.0
// Matrices of chains in lockstep with the convolution: every shape of a small sweep, stalls on both
// streams, resets in the middle of everything, every folding scheme as the column.
#include <gtest/gtest.h>

#include "gen/layers/matrix/layer.h"
#include "tests/support/cache.h"
#include "tests/support/levels.h"
#include "tests/support/network_rig.h"
#include "tests/support/seed.h"

namespace kumiki::gen {
namespace matrix_lockstep_test {

using matrix::MatrixRequest;
using matrix::Sharing;
using packing::Scheme;

struct Matrices : test::NetworkRig {
  explicit Matrices(const std::vector<MatrixRequest>& requests,
                    ir::Family family = ir::Family::ultrascale_plus)
      : NetworkRig(test::layers_of("conv2d", requests, matrix::make_layer), family) {}

  // Ready and valid bits are compared in every cycle; results came as well.
  void expect_results(const backends::LockstepResult& result) const {
    std::size_t always = 0;
    for (const auto& p : ports.outputs)
      always += p.name.ends_with("_ready") || p.name.ends_with("_valid") ? 1 : 0;
    EXPECT_GT(result.comparisons, result.cycles * always + 20 * layers.size());
  }
};

std::vector<std::int64_t> weights(const MatrixRequest& r) {
  std::vector<std::int64_t> all;
  std::uint64_t state = 99;
  for (std::int64_t i = 0; i < r.shape.weight_count(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto span = static_cast<std::uint64_t>(r.weights.interval().span()) + 1;
    // The ends of the range come often.
    const std::uint64_t pick = state >> 60;
    all.push_back(static_cast<std::int64_t>(
        pick == 0   ? r.weights.interval().lo
        : pick == 1 ? r.weights.interval().hi
                    : r.weights.interval().lo + static_cast<std::int64_t>((state >> 20) % span)));
  }
  return all;
}

// Small shapes in all combinations: 1 and 2 pixels or channels more or less than what divides.
std::vector<MatrixRequest> sweep() {
  std::vector<MatrixRequest> all;
  int turn = 0;
  for (const std::int64_t kernel : {1, 2, 3})
    for (const std::int64_t stride : {1, 2})
      for (const std::int64_t padding : {0, 1})
        for (const std::int64_t width : {3, 4})
          for (const std::int64_t channels : {1, 3}) {
            MatrixRequest r{.shape = {.in_channels = channels,
                                      .height = 4,
                                      .width = width,
                                      .out_channels = 3,
                                      .kernel_height = kernel,
                                      .kernel_width = kernel,
                                      .stride = stride,
                                      .padding = padding},
                            .sharing = turn % 2 == 0 ? Sharing::Weight : Sharing::Input,
                            .rows = channels == 1 ? 1 : 2,
                            .columns = 1 + turn % 3 % 2};
            if (turn % 3 == 0) r.beat = std::int64_t{1} << (1 + turn / 3 % 3);
            if (++turn % 4 != 0) r.values = weights(r);
            all.push_back(r);
          }
  return all;
}

TEST(MatrixLockstep, EverySmallShape) {
  const auto all = sweep();
  for (std::size_t first = 0; first < all.size(); first += 8) {
    Matrices m({all.begin() + static_cast<std::ptrdiff_t>(first),
                all.begin() + static_cast<std::ptrdiff_t>(std::min(first + 8, all.size()))});
    EXPECT_EQ(ir::check(m.design(), {.warnings = false}).size(), 0u);
    m.expect_results(m.run_native(2500));
    if (HasFailure()) FAIL() << "shapes from number " << first << " on";
  }
}

TEST(MatrixLockstep, SmallShapesOnThe7Series) {
  std::vector<MatrixRequest> some;
  const auto all = sweep();
  for (std::size_t i = 0; i < all.size(); i += 3) {
    some.push_back(all[i]);
    some.back().limits = packing::Limits::of(ir::Family::series7);
  }
  Matrices m(some, ir::Family::series7);
  EXPECT_EQ(ir::check(m.design(), {.warnings = false}).size(), 0u);
  m.expect_results(m.run_native(2500));
}

// Steps and borders of each axis and side of its own, borders of other numbers than 0, beats of
// several words of which the last one ends in the border.
TEST(MatrixLockstep, EverySideOfItsOwn) {
  std::vector<MatrixRequest> all;
  int turn = 0;
  for (const matrix::Padding& padding : {matrix::Padding{1, 0, 0, 0},
                                         {0, 1, 0, 0},
                                         {0, 0, 1, 0},
                                         {0, 0, 0, 1},
                                         {2, 0, 1, 3},
                                         {0, 2, 0, 1},
                                         {1, 3, 0, 0}})
    for (const std::int64_t beat : {1, 2, 4}) {
      ++turn;
      MatrixRequest r{.shape = {.in_channels = 1 + turn % 3,
                                .height = 3,
                                .width = 2 + turn % 4,
                                .out_channels = 2,
                                .kernel_height = 1 + turn % 3,
                                .kernel_width = 1 + turn % 2,
                                .stride = {1 + turn % 2, 1 + turn / 2 % 2},
                                .padding = padding,
                                .dilation = {1, 1 + turn / 4 % 2}},
                      .sharing = turn % 2 == 0 ? Sharing::Weight : Sharing::Input,
                      .rows = 1 + turn % 2,
                      .columns = 1,
                      .beat = beat,
                      .pad = turn % 5 - 2};
      if (turn % 3 == 0) r.activations = {.bits = 5, .is_signed = false}, r.pad = 31 - turn % 2 * 9;
      r.values = weights(r);
      all.push_back(r);
    }
  for (std::size_t first = 0; first < all.size(); first += 7) {
    Matrices m({all.begin() + static_cast<std::ptrdiff_t>(first),
                all.begin() + static_cast<std::ptrdiff_t>(first + 7)});
    EXPECT_EQ(ir::check(m.design(), {.warnings = false}).size(), 0u);
    m.expect_results(m.run_native(1500));
  }
}

TEST(MatrixLockstep, EveryFoldingSchemeAsAColumn) {
  std::vector<MatrixRequest> all;
  for (const auto scheme : {Scheme::SharedDrain, Scheme::CarryLaneDrain, Scheme::WrapCounter,
                            Scheme::Wp487Int8Lut, Scheme::OffsetBinary, Scheme::Single}) {
    MatrixRequest r{.shape = {.in_channels = 6, .width = 6, .out_channels = 4, .kernel_width = 2},
                    .scheme = scheme,
                    .rows = 3,
                    .columns = 2};
    r.values = weights(r);
    try {
      matrix::plan(r);
    } catch (const DesignError&) {
      continue;  // not a scheme that runs over several clocks
    }
    all.push_back(r);
  }
  ASSERT_GE(all.size(), 4u);
  MatrixRequest canary{.shape = {.in_channels = 3, .width = 5, .out_channels = 4},
                       .activations = {.bits = 4, .is_signed = false},
                       .weights = {.bits = 4},
                       .sharing = Sharing::Input,
                       .scheme = Scheme::Canary,
                       .rows = 1,
                       .columns = 2};
  canary.values = weights(canary);
  all.push_back(canary);
  Matrices m(all);
  m.expect_results(m.run_native(4000));
}

TEST(MatrixLockstep, OnVerilator) {
  Matrices m(test::this_time(sweep(), 14));
  m.expect_results(m.run_verilated(3000, test::shared_cache));
}

TEST(MatrixLockstep, AnEngineOfMoreThan256Slices) {
  MatrixRequest r{.shape = {.in_channels = 64,
                            .height = 4,
                            .width = 4,
                            .out_channels = 64,
                            .kernel_height = 3,
                            .kernel_width = 3,
                            .padding = 1},
                  .slices = 288};
  r.values = weights(r);
  Matrices m({r});
  m.expect_results(m.run_native(4000));
}

// A set in every clock and long ones, several words a clock, rings of LUTs and of block memories;
// results that leave through registers and through a memory.
TEST(MatrixLockstep, AtMostThreeLevelsBetweenRegisters) {
  std::vector<MatrixRequest> all = sweep();
  MatrixRequest wide{.shape = {.in_channels = 64, .height = 6, .width = 200, .out_channels = 64},
                     .slices = 260};
  wide.values = weights(wide);
  all.push_back(wide);
  wide.shape.kernel_height = wide.shape.kernel_width = 3;
  wide.shape.padding = 1;
  wide.values.clear();
  all.push_back(wide);
  all.push_back({.shape = {.in_channels = 784, .out_channels = 128}, .sharing = Sharing::Input});
  std::size_t queues = 0;
  for (const MatrixRequest& r : all) {
    queues += matrix::plan(r).exit().is_chain ? 0 : 1;
    Matrices m({r});
    test::expect_levels(m.design(), 3);
  }
  EXPECT_GT(queues, 0u);
  EXPECT_LT(queues, all.size());
}

TEST(MatrixLockstep, MistakesAreCaught) {
  MatrixRequest r{.shape = {.in_channels = 3,
                            .height = 3,
                            .width = 3,
                            .out_channels = 3,
                            .kernel_height = 2,
                            .kernel_width = 2,
                            .padding = 1},
                  .rows = 2,
                  .columns = 1};
  r.values = weights(r);
  Matrices({r}).expect_mutants_seen(40, 600, 1000, true);
}

}  // namespace matrix_lockstep_test
}  // namespace kumiki::gen
