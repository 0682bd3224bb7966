// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/schedule.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "backends/support/random.h"
#include "gen/layers/matrix/plan.h"
#include "gen/layers/pipeline/counts/lazy.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline {
namespace pipeline_schedule_test {

struct Case {
  std::string name;
  std::int64_t interval;
  std::int64_t results;  // beats of a frame
  std::function<std::unique_ptr<Counts>()> counts;
};

template <class Schedule>
Case of(std::string name, std::int64_t results, const Schedule& s) {
  return {std::move(name), s.interval(), results, [s] { return s.counts(); }};
}

const matrix::MatrixPlan& matrix_of(int kernel) {
  static const auto planned = [](int k) {
    matrix::MatrixRequest r{.shape = {.in_channels = 4,
                                      .height = 6,
                                      .width = 5,
                                      .out_channels = 6,
                                      .kernel_height = k,
                                      .kernel_width = k,
                                      .padding = k / 2},
                            .activations = {.bits = 8},
                            .weights = {.bits = 8},
                            .sharing = matrix::Sharing::Input,
                            .rows = 2,
                            .columns = 1,
                            .beat = 1,
                            .pixels = 1};
    r.values.assign(static_cast<std::size_t>(r.shape.weight_count()), 1);
    return matrix::plan(r);
  };
  static const matrix::MatrixPlan one = planned(1), three = planned(3);
  return kernel == 1 ? one : three;
}

std::vector<Case> kinds() {
  const RasterPlan around{.blocks = 2,
                          .lines = {false, true, true, true, false},
                          .columns = {false, true, true, true, true, false}};
  const matrix::MatrixPlan &one = matrix_of(1), &three = matrix_of(3);
  return {
      of("stages", 12, Moving{.pieces = 6, .beats = 2, .stages = 4}),
      of("stages that hold", 12,
         Moving{.pieces = 6, .beats = 2, .stages = 3, .holds = true, .inputs = 2}),
      of("no stage", 5, Moving{.pieces = 5, .stages = 0, .holds = true}),
      of("turns", 4 * 6, Turns{.pieces = 4, .beats = {1, 3, 2}}),
      of("selection", 5, Selection{.of = 12, .first = 4, .beats = 5}),
      of("selection of the first", 3, Selection{.of = 12, .beats = 3}),
      of("cut", 6 * 8, Parts{.cuts = true, .pieces = 6, .blocks = 3, .parts = 3, .last_parts = 2}),
      of("put together", 6 * 3, Parts{.pieces = 6, .blocks = 3, .parts = 4, .last_parts = 1}),
      of("queue", 9, Queue{.pieces = 9, .depth = 4}),
      of("walk", 2 * 2 * 2,
         Walk{.around = around,
              .lines = {false, false, true, false, true},
              .columns = {false, false, true, false, false, true},
              .results = {.clocks = 7}}),
      of("sum", 3,
         Walk{.around = {.blocks = 3, .lines = {true}, .columns = {true, true, true, true}},
              .lines = {true},
              .columns = {false, false, false, true},
              .results = {.clocks = 3}}),
      of("lines", 3 * 20, Lines{.pieces = 3, .beats = 5, .gives = 20, .results = {.clocks = 2}}),
      of("lines of which few are read", 3 * 2,
         Lines{.pieces = 3, .beats = 5, .gives = 2, .results = {.clocks = 1}}),
      of("a line alone", 3 * 20,
         Lines{.pieces = 3, .beats = 5, .gives = 20, .results = {.clocks = 2}, .room = 1}),
      of("lines that are read in twos", 5 * 6,
         Lines{.beats = 4,
               .gives = 6,
               .results = {.clocks = 3},
               .room = 4,
               .readings = {{2, 0}, {2, 0}, {2, 1}, {2, 0}, {2, 2}}}),
      of("lines that come more slowly than twos are read", 5 * 6,
         Lines{.beats = 20,
               .gives = 6,
               .results = {.clocks = 3},
               .room = 4,
               .readings = {{2, 0}, {2, 0}, {2, 1}, {2, 0}, {2, 2}}}),
      of("ring", 3 * 4 * 2,
         Ring{.around = around,
              .steps = 3,
              .out_lines = 3,
              .out_columns = 4,
              .needed = 15,
              .next_line = 3,
              .next_frame = 15,
              .room = 24,
              .results = {.clocks = 8}}),
      of("matrix of one position", one.out_beats(), OfMatrix{.plan = one}),
      of("matrix of a window", three.out_beats(), OfMatrix{.plan = three}),
  };
}

TEST(PipelineSchedule, IntervalsAreThoseOfTheCounts) {
  constexpr std::size_t first = 8, frames = 20;
  for (const Case& c : kinds()) {
    const auto counts = c.counts();
    std::vector<std::int64_t> ends;
    std::int64_t results = 0;
    for (std::int64_t clock = 0; ends.size() <= frames && clock < 100'000; ++clock) {
      if (counts->shown().valid && ++results % c.results == 0) ends.push_back(clock);
      counts->clock({.valid = ~0u, .ready = true}, 1);
    }
    ASSERT_GT(ends.size(), frames) << c.name;
    EXPECT_EQ(ends[frames] - ends[first], std::int64_t{frames - first} * c.interval) << c.name;
  }
}

// Streams that stall for a while show the same as in single clocks.
TEST(PipelineSchedule, SkippedClocksAreThoseThatAreCounted) {
  backends::lockstep::Random random(test::rotating_seed());
  for (const Case& c : kinds())
    for (const unsigned changes : {2u, 16u}) {
      Lazy skips(c.counts());
      const auto counts = c.counts();
      Given given;
      for (std::int64_t clock = 0; clock < 4000; ++clock) {
        if (random.one_in(changes))
          given = {.valid = random.below(4), .ready = random.below(3) > 0};
        if (skips.next() == clock) skips.wake();
        ASSERT_EQ(skips.shown(), counts->shown()) << c.name << " in clock " << clock;
        if (random.one_in(50)) {
          std::vector<std::int64_t> skipped, counted;
          skips.state(clock, skipped);
          counts->state(counted);
          ASSERT_EQ(skipped, counted) << c.name << " in clock " << clock;
        }
        skips.give(given, clock);
        counts->clock(given, 1);
      }
    }
}

}  // namespace pipeline_schedule_test
}  // namespace kumiki::gen::pipeline
