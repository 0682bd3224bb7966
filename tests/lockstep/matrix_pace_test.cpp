// SPDX-License-Identifier: Apache-2.0
// The clocks from frame to frame of netlists whose streams never stall, against the plan's.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/native/machine.h"
#include "gen/flow/network.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/matrix/build.h"
#include "tests/support/conv_sides.h"
#include "tests/support/long_form.h"
#include "tests/support/random.h"
#include "tests/support/seed.h"

namespace kumiki::gen::matrix {
namespace matrix_pace_test {

// Clocks from the last beat of the frame before to the last one of frame `number`.
std::int64_t measured_period(const MatrixPlan& p, std::int64_t number) {
  Builder builder;
  const MatrixIn<Hardware> ports = input_shape(p);
  build_top(builder, build, p, ports);
  backends::NativeMachine machine(builder.design());
  MatrixIn<Values> in{.rst = false,
                      .in_valid = true,
                      .in_data = std::vector<std::uint64_t>(ports.in_data.size(), 3),
                      .out_ready = true,
                      .w_valid = std::vector<bool>(ports.w_valid.size(), true),
                      .w_data = std::vector<std::uint64_t>(ports.w_data.size(), 5)};
  ir::Frame inputs, outputs;
  pack(ports, in, inputs);
  MatrixOut<Values> out{};
  std::int64_t seen = 0, before = 0;
  const std::int64_t most =
      (number + 4) * 2 * p.frame_clocks + 1000 + 2 * p.tiles * p.words * p.rows;
  for (std::int64_t clock = 0; clock < most; ++clock) {
    machine.step(inputs, outputs);
    unpack(output_shape(p), outputs, out);
    if (!out.out_valid || !out.out_last) continue;
    if (seen++ == number) return clock - before;
    before = clock;
  }
  return -1;
}

// The frame from which on all are like the one before. Where the columns bind it is the second.
// Where the input does, the columns first take what the ring has held while weights were loaded;
// where the ring binds it may take as many frames as it has words.
std::int64_t frames_until_steady(const MatrixPlan& p) {
  const std::int64_t ring = std::int64_t{1} << p.ring_bits;
  const auto pace = p.pace();
  if (p.cycles_a_frame() != pace.bound()) return 8 + ring;
  const std::int64_t less = pace.of_input() - pace.of_columns();
  return less > 0 ? 4 + ring / less : 3;
}

void expect_period(const MatrixRequest& request) {
  const MatrixPlan p = plan(request);
  const std::int64_t frames = frames_until_steady(p);
  EXPECT_EQ(measured_period(p, frames), p.cycles_a_frame()) << to_text(p);
}

TEST(MatrixPace, OfShapesThatWerePredictedTooShort) {
  // Once 32, measured 64; once 720, measured 746.
  const ConvShape pointwise{.in_channels = 8, .height = 8, .width = 8, .out_channels = 8};
  expect_period({.shape = pointwise});
  expect_period({.shape = pointwise, .beat = 1});
  expect_period({.shape = {.in_channels = 3,
                           .height = 5,
                           .width = 7,
                           .out_channels = 4,
                           .kernel_height = 3,
                           .kernel_width = 3,
                           .padding = 1}});
  // Strides leave out lines and columns, which have to come in all the same.
  expect_period(
      {.shape = {.in_channels = 4, .height = 7, .width = 9, .out_channels = 6, .stride = 3}});
  // A matrix and a vector, a matrix and another.
  expect_period({.shape = {.in_channels = 12, .out_channels = 5}, .sharing = Sharing::Input});
  expect_period({.shape = {.in_channels = 6, .width = 9, .out_channels = 5}});
  // Chains on clk2x.
  expect_period({.shape = pointwise, .is_double = true});
  expect_period({.shape = {.in_channels = 12, .height = 4, .width = 5, .out_channels = 5},
                 .rows = 12,
                 .columns = 1,
                 .beat = 1,
                 .is_double = true});
}

MatrixRequest any(tests::Random& random) {
  const bool small = !test::long_form();
  const auto upto = [&](std::uint32_t some, std::uint32_t many) {
    return random.between(1, small ? some : many);
  };
  ConvShape s{.in_channels = upto(5, 16),
              .height = upto(6, 16),
              .width = upto(8, 20),
              .out_channels = upto(6, 24),
              .kernel_height = upto(3, 4),
              .kernel_width = upto(3, 4),
              .stride = upto(2, 3),
              .padding = random.below(3),
              .dilation = upto(1, 2)};
  if (random.one_in(5)) s.in_channels = s.out_channels = s.groups = upto(3, 6);
  test::vary_sides(s, random);
  MatrixRequest r{.shape = s, .slices = random.between(6, small ? 32 : 128)};
  if (random.chance(40)) r.sharing = Sharing::Input;
  if (random.chance(40)) r.beat = std::int64_t{1} << random.below(4);
  if (random.chance(30)) {
    r.rows = upto(4, 8);
    r.columns = upto(2, 4);
  }
  r.is_double = r.rows.value_or(2) % 2 == 0 && random.one_in(4);
  return r;
}

TEST(MatrixPace, OfAnyShape) {
  tests::Random random(test::rotating_seed());
  for (int turn = 0; turn < (test::long_form() ? 400 : 12); ++turn) {
    expect_period(any(random));
    if (HasFailure()) FAIL() << "in turn " << turn;
  }
}

}  // namespace matrix_pace_test
}  // namespace kumiki::gen::matrix
