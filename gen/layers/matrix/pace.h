// SPDX-License-Identifier: Apache-2.0
// How many clocks a frame takes if words always come and results are always taken: what the columns
// need, what the stream needs, and what both lose if the ring is too small for one to run ahead of
// the other. The simulation covers counts only, no data.
#pragma once
#include <cstdint>
#include <optional>

namespace kumiki::gen::matrix {

struct Pace {
  std::int64_t group_clocks = 1;  // of a group of pixels: tiles x words
  std::int64_t groups_a_line = 1, lines = 1;
  std::int64_t need = 1, need_last = 1;  // words that a group needs; the last group of a line
  std::int64_t next_group = 1, next_line = 1, next_frame = 1;  // words from one group to the next
  std::int64_t frame_words = 1;                                // includes border and fill
  std::int64_t beat = 1;                                       // words that come in one clock
  // Clocks from the end of a group to the release of its words, and from a beat to the start of a
  // group that waited for it.
  std::int64_t hold = 1;
  static constexpr std::int64_t notice = 2;

  std::int64_t groups() const { return groups_a_line * lines; }
  std::int64_t of_columns() const { return groups() * group_clocks; }
  std::int64_t of_input() const { return frame_words / beat; }
  // A lower bound of the clocks of a frame.
  std::int64_t bound() const { return of_columns() > of_input() ? of_columns() : of_input(); }
};

// Clocks from frame to frame in the steady state, with a ring of `ring` words. Empty if no steady
// state is found within a bounded number of steps.
std::optional<std::int64_t> frame_clocks(const Pace& pace, std::int64_t ring);

// Ring words with which a frame certainly takes no more than the bound, for frames too large to
// simulate.
std::int64_t generous_ring(const Pace& pace);

}  // namespace kumiki::gen::matrix
