// SPDX-License-Identifier: Apache-2.0
// When a depthwise convolution takes beats and when it computes: its counters without its numbers,
// clock by clock. Positions of the map with its border are written one after the other, frame after
// frame; a window begins when its last position is there, and positions before its first one make
// room.
#pragma once
#include <cstdint>
#include <vector>

namespace kumiki::gen::pipeline {

struct DepthwisePace {
  std::int64_t blocks = 1, steps = 1;  // of a window of one block
  std::vector<bool> lines, columns;    // of the map with its border: of the map
  std::int64_t out_lines = 1, out_columns = 1;
  std::int64_t needed = 1;  // positions up to the last one of the first window
  // From the first position of a window to that of the next: in a line, in the next line, in the
  // next frame.
  std::int64_t next_column = 1, next_line = 1, next_frame = 1;
  std::int64_t room = 1;  // positions that may be there when another one begins
};

// The state of all counters.
class DepthwiseCounts {
 public:
  explicit DepthwiseCounts(DepthwisePace pace);
  void reset();
  bool room() const { return room_; }
  bool is_inside() const;  // a beat belongs to where the loader is
  bool ready() const { return room_ && is_inside(); }
  bool computes(bool results_have_room) const { return ahead_ >= 0 && results_have_room; }
  // What is computed: the last step of a window, where it is.
  bool is_last_step() const { return step_ + 1 == pace_.steps; }
  std::int64_t out_line() const { return out_line_; }
  std::int64_t out_column() const { return out_column_; }
  std::int64_t out_block() const { return out_block_; }
  std::int64_t out_frame() const { return out_frame_; }
  std::int64_t in_frame() const { return in_frame_; }
  void clock(bool comes, bool computes);

  // Clocks in which nothing happens but the next beat, if one comes, and the next step, if it
  // computes; `forever` where neither goes on.
  std::int64_t alike(bool comes, bool computes) const;
  void skip(std::int64_t clocks, bool comes, bool computes);
  // Appends all that decides what happens from here on.
  void state(std::vector<std::int64_t>& all) const;

 private:
  bool loads(bool comes) const { return room_ && (comes || !is_inside()); }
  bool load();
  void finish_block();
  DepthwisePace pace_;
  std::int64_t ahead_, space_;
  bool room_, written_, ended_;
  std::int64_t released_;  // positions, by what has ended
  std::int64_t line_, column_, block_, in_frame_;
  std::int64_t out_line_, out_column_, out_block_, step_, out_frame_;
};

// Clocks from frame to frame when beats always come and results are always taken; of frames that
// alternate the mean, rounded up.
std::int64_t interval_of(const DepthwisePace& pace);

}  // namespace kumiki::gen::pipeline
