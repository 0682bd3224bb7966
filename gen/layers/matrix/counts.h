// SPDX-License-Identifier: Apache-2.0
// A matrix of chains without its numbers: when it takes beats and when results leave, clock by
// clock. It skips many clocks at once if only counters move.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

class MatrixCounts {
 public:
  explicit MatrixCounts(const MatrixPlan& plan);
  bool in_ready() const { return !is_full() && !is_border_; }
  bool out_valid() const { return (exit_ >> (registers_ - 1) & 1) != 0; }
  bool w_ready() const { return reloads_ && free_ > 0; }
  // The inputs of a clock.
  struct In {
    bool in_valid = false, out_ready = false;
    bool w_valid = false;    // if weights come for every frame
    bool are_loaded = true;  // if weights come once: all of them are there
  };
  // Moves on by one clock, or by several at once: at most alike().
  void clock(const In& in, std::int64_t clocks);
  // The number of clocks in which only counters move and the outputs do not change, if the inputs
  // do not change; 0 is always correct.
  std::int64_t alike(const In& in) const;
  // Appends all state that decides what happens from here on; times are relative to now.
  void state(std::vector<std::int64_t>& all) const;

 private:
  // A number of words or sets, and their clock.
  struct Later {
    std::int64_t clock, count;
  };
  bool is_full() const { return held_ + pace_.beat > ring_; }
  bool loads(bool in_valid) const { return !is_full() && (is_border_ || in_valid); }
  bool waits_for_words() const { return word_ == 0 && tile_ == 0 && level_ < need(); }
  std::int64_t need() const {
    return group_ + 1 == pace_.groups_a_line ? pace_.need_last : pace_.need;
  }
  std::uint64_t movers() const { return exit_ & ~(exit_ >> 1) & ~output(); }
  std::uint64_t output() const { return std::uint64_t{1} << (registers_ - 1); }
  bool has_weights(const In& in) const { return reloads_ ? loaded_ > 0 : in.are_loaded; }
  bool takes_weights(const In& in) const { return reloads_ && in.w_valid && w_ready(); }
  void take_weights(const In& in, std::int64_t clocks);
  void load(std::int64_t beats);
  void find_border();
  void issue(std::int64_t words, bool may_begin);
  void move_on();
  void leave(bool arrives, bool ready);
  std::int64_t alike_at_input(bool in_valid) const;
  std::int64_t alike_at_exit(bool out_ready) const;

  Pace pace_;
  std::int64_t words_, tiles_, latency_, ring_;
  bool is_chain_;
  int registers_;  // of the exit
  // The position of the map in its border: in words of a line, and in lines.
  std::int64_t line_words_, from_x_, to_x_, lines_, from_y_, to_y_;

  bool reloads_;
  std::int64_t weight_beats_, weight_hold_;  // of a frame

  std::int64_t clock_ = 0;
  // Weights: of how many frames they are there, and of how many there is room for them; beats that
  // have come of the next ones.
  std::int64_t loaded_ = 0, free_ = 2, weight_beat_ = 0;
  bool frame_done_ = false;          // its last word is issued in this clock
  std::deque<std::int64_t> unread_;  // clocks in which room for weights becomes free
  std::int64_t load_x_ = 0, load_y_ = 0;
  bool is_border_ = false;
  std::int64_t edge_ = 0;  // of the line: border or map extends up to here
  std::int64_t word_ = 0, tile_ = 0, group_ = 0, line_ = 0;
  std::int64_t level_ = 0, held_ = 0, room_ = 0;  // words, words, sets
  std::int64_t arriving_ = 0, taken_ = 0;         // in the previous clock: words, sets
  std::deque<Later> freed_;                       // words to be released
  std::deque<Later> under_way_;                   // sets on their way to the exit
  std::int64_t queued_ = 0;                       // if the exit is a memory: sets in it
  std::uint64_t exit_ = 0;                        // bit mask of full registers; the highest one
                                                  // leaves
};

// The clocks that so many frames take if nothing waits for others, found by counting.
std::int64_t counted_clocks(const MatrixPlan& plan, std::int64_t frames);

}  // namespace kumiki::gen::matrix
