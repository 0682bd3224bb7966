// SPDX-License-Identifier: Apache-2.0
// When a depthwise convolution takes beats and when it computes: a clock-by-clock model of its
// counters without its numbers. Positions of the map with its border are written one after the
// other, frame after frame. A window begins when its last position is there. Positions before the
// first one of the window make room.
#pragma once
#include <cstdint>
#include <vector>

namespace kumiki::gen::pipeline {

struct DepthwisePace {
  std::int64_t blocks = 1, steps = 1;  // of a window of one block
  std::vector<bool> lines, columns;    // of the map with its border: inside the map
  std::int64_t out_lines = 1, out_columns = 1;
  std::int64_t needed = 1;  // positions up to the last one of the first window
  // Positions from the start of a window to the start of the next one: in the same line, in the
  // next line, in the next frame.
  std::int64_t next_column = 1, next_line = 1, next_frame = 1;
  std::int64_t room = 1;  // positions that may be stored when a new one begins
};

// The state of all counters.
class DepthwiseCounts {
 public:
  explicit DepthwiseCounts(DepthwisePace pace);
  void reset();
  bool room() const { return room_; }
  bool is_inside() const;  // the loader is inside the map and needs a beat
  bool ready() const { return room_ && is_inside(); }
  bool computes(bool results_have_room) const { return ahead_ >= 0 && results_have_room; }
  // Whether this is the last step of a window, and the place of that window.
  bool is_last_step() const { return step_ + 1 == pace_.steps; }
  std::int64_t out_line() const { return out_line_; }
  std::int64_t out_column() const { return out_column_; }
  std::int64_t out_block() const { return out_block_; }
  std::int64_t out_frame() const { return out_frame_; }
  std::int64_t in_frame() const { return in_frame_; }
  void clock(bool comes, bool computes);

  // The number of clocks in which only the next beat (if one comes) and the next step (if it
  // computes) happen; `forever` if neither goes on.
  std::int64_t alike(bool comes, bool computes) const;
  void skip(std::int64_t clocks, bool comes, bool computes);
  // Appends all state that decides what happens from here on.
  void state(std::vector<std::int64_t>& all) const;

 private:
  bool loads(bool comes) const { return room_ && (comes || !is_inside()); }
  bool load();
  void finish_block();
  DepthwisePace pace_;
  std::int64_t ahead_, space_;
  bool room_, written_, ended_;
  std::int64_t released_;  // positions that ended windows released
  std::int64_t line_, column_, block_, in_frame_;
  std::int64_t out_line_, out_column_, out_block_, step_, out_frame_;
};

// Clocks between frames if beats always come and results are always taken. If frames alternate, the
// mean, rounded up.
std::int64_t interval_of(const DepthwisePace& pace);

}  // namespace kumiki::gen::pipeline
