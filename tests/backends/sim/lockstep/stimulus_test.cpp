// SPDX-License-Identifier: Apache-2.0
// What lockstep feeds its machines with.
#include "backends/sim/lockstep/stimulus.h"

#include <gtest/gtest.h>

#include <set>

#include "ir/error.h"

namespace kumiki::backends {
namespace lockstep_stimulus_test {

// A byte that is signed, four bits that are none, three that are unsigned.
ir::PortLayout word() {
  ir::PortLayout ports;
  ports.inputs = {{"word", 15, false, 0}};
  ports.input_limbs = 1;
  return ports;
}

StimulusOptions corners_of(std::vector<StimulusOptions::Field> fields) {
  StimulusOptions options{.weights = {.random = 0, .corner = 1}};
  options.fields["word"] = std::move(fields);
  return options;
}

TEST(Stimulus, EveryFieldOfAWordMeetsItsOwnCorners) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
  std::size_t empty_gaps = 0;
  const auto all = frames(word(), corners_of({{8, true, 0, 8}, {3, false, 12}}), 5000);
  for (const auto& frame : all) {
    EXPECT_EQ(frame[0] >> 15, 0u);
    pairs.emplace(frame[0] & 0xff, frame[0] >> 12);
    empty_gaps += (frame[0] >> 8 & 15) == 0;
  }
  for (const std::uint64_t byte : {0x80u, 0x7fu, 0x00u, 0xffu, 0x81u, 0x7eu})
    for (const std::uint64_t three : {0u, 7u, 1u})
      EXPECT_TRUE(pairs.contains({byte, three})) << byte << " with " << three;
  // Only what is drawn at random between the corners has anything there.
  EXPECT_GT(empty_gaps, all.size() * 3 / 4);
  EXPECT_LT(empty_gaps, all.size());
}

TEST(Stimulus, AFieldEndsWithItsPort) {
  for (const StimulusOptions::Field& f :
       {StimulusOptions::Field{16, true}, StimulusOptions::Field{0, true},
        StimulusOptions::Field{8, true, 8}, StimulusOptions::Field{4, true, 8, 8}})
    EXPECT_THROW(Stimulus(word(), corners_of({f})), DesignError) << f.width << " from " << f.low;
  EXPECT_NO_THROW(Stimulus(word(), corners_of({{7, true, 8}})));
  auto stray = corners_of({{8, true}});
  stray.fields["other"] = {{1, false}};
  EXPECT_THROW(Stimulus(word(), stray), DesignError);
}

// An AXI reset is one, upside down: 1 but for as many spans as are asked for.
TEST(Stimulus, ALowResetIsPulledAndCounted) {
  ir::PortLayout ports;
  ports.inputs = {{"a_aresetn", 1, false, 0}, {"a_s_axis_in_tvalid", 1, false, 1}};
  ports.input_limbs = 2;
  EXPECT_EQ(default_role(ports.inputs[0]), Role::reset_low);
  Stimulus stimulus(ports, {.cycles = 4000, .resets = 6});
  ir::Frame frame;
  std::uint64_t low = 0, spans = 0, before = 1;
  for (int cycle = 0; cycle < 4000; ++cycle) {
    stimulus.next(frame);
    low += frame[0] == 0;
    spans += frame[0] == 0 && before == 1;
    before = frame[0];
  }
  EXPECT_GE(spans, 4u);  // some may touch
  EXPECT_LE(spans, 6u);
  EXPECT_EQ(stimulus.counts().resets, spans);
  EXPECT_EQ(stimulus.counts().reset_cycles, low);
  EXPECT_LT(low, 400u);
}

}  // namespace lockstep_stimulus_test
}  // namespace kumiki::backends
