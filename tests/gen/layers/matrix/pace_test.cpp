// SPDX-License-Identifier: Apache-2.0
// Clocks of a frame as the plan foretells them, against counts of words that are played clock by
// clock, and against shapes worked out by hand.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "gen/layers/matrix/plan.h"
#include "tests/support/conv_sides.h"
#include "tests/support/random.h"
#include "tests/support/seed.h"

namespace kumiki::gen::matrix {
namespace matrix_pace_test {

// The feeder as its README says it, a clock at a time: a beat comes while there is room for it, a
// group begins when its words are noticed, `hold` clocks after its end they are given back. The
// clocks in which frames end.
std::vector<std::int64_t> ends_of_frames(const Pace& p, std::int64_t ring, std::size_t frames) {
  std::vector<std::int64_t> ends;
  std::deque<std::int64_t> freed(static_cast<std::size_t>(p.hold), 0);
  std::deque<std::int64_t> noticed(static_cast<std::size_t>(p.notice) - 1, 0);
  std::int64_t held = 0, level = 0, left = 0, group = 0, line = 0;
  for (std::int64_t clock = 0; ends.size() < frames && clock < 5'000'000; ++clock) {
    const std::int64_t back = freed.back();
    freed.pop_back();
    freed.push_front(0);
    const bool takes = held + p.beat <= ring;
    const bool last_group = group == p.groups_a_line - 1;
    if (left == 0 && level >= (last_group ? p.need_last : p.need)) left = p.group_clocks;
    if (left > 0 && --left == 0) {
      const bool frame_ends = last_group && line == p.lines - 1;
      const std::int64_t words = frame_ends   ? p.next_frame
                                 : last_group ? p.next_line
                                              : p.next_group;
      level -= words;
      freed.front() = words;
      group = last_group ? 0 : group + 1;
      if (last_group) line = frame_ends ? 0 : line + 1;
      if (frame_ends) ends.push_back(clock);
    }
    noticed.push_front(takes ? p.beat : 0);
    level += noticed.back();
    noticed.pop_back();
    if (takes) held += p.beat;
    held -= back;
  }
  return ends;
}

ConvShape random_shape(tests::Random& random) {
  ConvShape s{.in_channels = random.between(1, 6),
              .height = random.between(1, 9),
              .width = random.between(1, 12),
              .out_channels = random.between(1, 9),
              .kernel_height = random.between(1, 3),
              .kernel_width = random.between(1, 3),
              .stride = random.between(1, 3),
              .padding = random.below(3),
              .dilation = random.between(1, 2)};
  if (random.one_in(5)) s.out_channels = s.in_channels = s.groups = random.between(2, 4);
  test::vary_sides(s, random);
  return s;
}

MatrixRequest random_request(tests::Random& random) {
  MatrixRequest r{.shape = random_shape(random)};
  if (random.chance(50)) r.sharing = Sharing::Input;
  if (random.chance(50)) r.slices = random.between(8, 64);
  if (random.chance(30)) r.beat = std::int64_t{1} << random.below(5);
  return r;
}

// Long enough for the last frames to be alike: a ring fills by a word a frame at the slowest.
std::int64_t played_period(const Pace& p, std::int64_t ring) {
  const auto ends = ends_of_frames(p, ring, 40 + static_cast<std::size_t>(2 * ring));
  return ends.back() - ends[ends.size() - 2];
}

TEST(Pace, IsThatOfWordsPlayedClockByClock) {
  tests::Random random(test::rotating_seed());
  int bound_by_ring = 0;
  for (int turn = 0; turn < 60; ++turn) {
    const MatrixPlan p = plan(random_request(random));
    const Pace pace = p.pace();
    for (int bits = std::max(p.ring_bits - 1, p.beat_bits() + 1); bits <= p.ring_bits + 1; ++bits) {
      const std::int64_t ring = std::int64_t{1} << bits;
      if (ring < std::max(pace.need, pace.need_last) + pace.beat - 1) continue;
      const auto clocks = frame_clocks(pace, ring);
      if (!clocks) continue;  // between two numbers: no plan has such a ring
      bound_by_ring += *clocks > pace.bound() ? 1 : 0;
      ASSERT_EQ(*clocks, played_period(pace, ring)) << to_text(p) << "with a ring of " << ring;
    }
    EXPECT_LE(p.frame_clocks * 100, pace.bound() * 101);
  }
  EXPECT_GT(bound_by_ring, 3);
}

TEST(Pace, AGenerousRingMakesNobodyWait) {
  tests::Random random(test::rotating_seed());
  for (int turn = 0; turn < 60; ++turn) {
    const Pace pace = plan(random_request(random)).pace();
    EXPECT_EQ(frame_clocks(pace, generous_ring(pace)), pace.bound());
  }
}

// A frame of 65,536 lines is not played.
TEST(Pace, OfFramesThatAreTooLargeToPlay) {
  const MatrixPlan p = plan({.shape = {.in_channels = 3,
                                       .height = 65536,
                                       .width = 1024,
                                       .out_channels = 8,
                                       .kernel_height = 3,
                                       .kernel_width = 3,
                                       .padding = 1},
                             .slices = 64});
  EXPECT_EQ(p.frame_clocks, p.pace().bound());
  EXPECT_GE(std::int64_t{1} << p.ring_bits, generous_ring(p.pace()));
}

// 64 words of 8 channels come in; two pixels a clock make 32 clocks of the columns.
TEST(Pace, AConvolutionOf1x1GetsTheWordsThatItsColumnsNeed) {
  const ConvShape shape{.in_channels = 8, .height = 8, .width = 8, .out_channels = 8};
  const MatrixPlan p = plan({.shape = shape});
  EXPECT_EQ(p.beat, 2);
  EXPECT_EQ(p.frame_clocks, 32);
  EXPECT_DOUBLE_EQ(p.sustained(), p.peak());
  // A word a clock: 64 clocks, and half of the columns are as fast as all of them.
  const MatrixPlan narrow = plan({.shape = shape, .beat = 1});
  EXPECT_EQ(narrow.frame_clocks, 64);
  EXPECT_LE(narrow.slices() * 2, p.slices());
  EXPECT_EQ(narrow.columns, 4);
}

// 5 x 7 pixels and a border of one make 63 words, need 5 lines of 4 groups with 36 clocks each.
TEST(Pace, AFrameThatBeginsWhileTheLastOneIsComputed) {
  const ConvShape shape{.in_channels = 3,
                        .height = 5,
                        .width = 7,
                        .out_channels = 4,
                        .kernel_height = 3,
                        .kernel_width = 3,
                        .padding = 1};
  const MatrixPlan p = plan({.shape = shape, .rows = 3, .columns = 1});
  EXPECT_EQ(p.pace().of_input(), 63);
  EXPECT_EQ(p.pace().of_columns(), 720);
  EXPECT_EQ(p.frame_clocks, 720);
  // The ring of 32 words that plans once had.
  EXPECT_EQ(frame_clocks(p.pace(), 32), played_period(p.pace(), 32));
  EXPECT_GT(frame_clocks(p.pace(), 32), 720);
}

}  // namespace matrix_pace_test
}  // namespace kumiki::gen::matrix
