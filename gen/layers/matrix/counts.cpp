// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/counts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace kumiki::gen::matrix {
namespace {

constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

}  // namespace

MatrixCounts::MatrixCounts(const MatrixPlan& p)
    : pace_(p.pace()),
      words_(p.words),
      tiles_(p.tiles),
      latency_(p.core_latency()),
      ring_(std::int64_t{1} << p.ring_bits),
      is_chain_(p.exit().is_chain),
      registers_(is_chain_ ? static_cast<int>(p.exit().sets) : 1),
      line_words_(p.line_words()),
      from_x_(p.stream_from()),
      to_x_(p.stream_to()),
      lines_(p.shape.padded_height()),
      from_y_(p.shape.padding.top),
      to_y_(p.shape.padding.top + p.shape.height),
      reloads_(p.reloads),
      weight_beats_(p.weight_beats()),
      weight_hold_(p.weight_hold()),
      room_(p.exit().sets) {
  find_border();
}

void MatrixCounts::find_border() {
  const bool is_line = load_y_ >= from_y_ && load_y_ < to_y_;
  is_border_ = !is_line || load_x_ < from_x_ || load_x_ >= to_x_;
  edge_ = !is_line || load_x_ >= to_x_ ? line_words_ : load_x_ < from_x_ ? from_x_ : to_x_;
}

void MatrixCounts::load(std::int64_t beats) {
  arriving_ = pace_.beat;
  held_ += beats * pace_.beat;
  load_x_ += beats * pace_.beat;
  if (load_x_ < edge_) return;
  if (load_x_ == line_words_) {
    load_x_ = 0;
    load_y_ = load_y_ + 1 == lines_ ? 0 : load_y_ + 1;
  }
  find_border();
}

void MatrixCounts::move_on() {
  const bool line_ends = group_ + 1 == pace_.groups_a_line;
  const bool frame_ends = line_ends && line_ + 1 == pace_.lines;
  const std::int64_t words = frame_ends  ? pace_.next_frame
                             : line_ends ? pace_.next_line
                                         : pace_.next_group;
  level_ -= words;
  freed_.push_back({clock_ + pace_.hold, words});
  frame_done_ = frame_ends;
  group_ = line_ends ? 0 : group_ + 1;
  if (line_ends) line_ = frame_ends ? 0 : line_ + 1;
}

void MatrixCounts::issue(std::int64_t words, bool may_begin) {
  if (word_ == 0) {
    if (!may_begin || room_ == 0 || waits_for_words()) return;
    --room_;
  }
  if ((word_ += words) < words_) return;
  word_ = 0;
  under_way_.push_back({clock_ + latency_, 1});
  if (++tile_ < tiles_) return;
  tile_ = 0;
  move_on();
}

// Moves results along the chain, or from the memory into the output register.
void MatrixCounts::leave(bool arrives, bool ready) {
  if (is_chain_) {
    const std::uint64_t moving = movers(), before = exit_;
    exit_ = (exit_ & ~moving) | moving << 1;
    if (ready) exit_ &= ~(before & output());
    if (!arrives) return;
    if ((before & 1) != 0)
      throw std::logic_error("a matrix computed results for which there is no room");
    exit_ |= 1;
    return;
  }
  if (ready) exit_ = 0;
  if (exit_ == 0 && queued_ > 0) {
    exit_ = 1;
    --queued_;
  }
  if (arrives) ++queued_;
}

// After issue(), which knows whether a frame is done.
void MatrixCounts::take_weights(const In& in, std::int64_t clocks) {
  if (!reloads_) return;
  const bool takes = takes_weights(in);
  if (!unread_.empty() && unread_.front() == clock_) {
    ++free_;
    unread_.pop_front();
  }
  if (std::exchange(frame_done_, false)) {
    --loaded_;
    unread_.push_back(clock_ + weight_hold_);
  }
  if (!takes || (weight_beat_ += clocks) < weight_beats_) return;
  weight_beat_ = 0;
  ++loaded_;
  --free_;
}

void MatrixCounts::clock(const In& in, std::int64_t clocks) {
  const std::int64_t came = std::exchange(arriving_, 0);
  std::int64_t given_back = 0;
  if (!freed_.empty() && freed_.front().clock == clock_) {
    given_back = freed_.front().count;
    freed_.pop_front();
  }
  issue(clocks, has_weights(in));
  take_weights(in, clocks);
  const bool arrives = !under_way_.empty() && under_way_.front().clock == clock_;
  if (arrives) under_way_.pop_front();
  room_ += std::exchange(taken_, out_valid() && in.out_ready ? 1 : 0);
  leave(arrives, in.out_ready);
  if (loads(in.in_valid)) load(clocks);
  level_ += clocks * came;
  held_ -= given_back;
  clock_ += clocks;
}

std::int64_t MatrixCounts::alike_at_input(bool in_valid) const {
  if (!loads(in_valid)) return arriving_ == 0 ? forever : 0;
  if (arriving_ != pace_.beat) return 0;
  // clock() handles the edge, the last room and the last word that a group needs.
  std::int64_t beats = std::min(edge_ - load_x_, ring_ - held_) / pace_.beat - 1;
  if (waits_for_words()) beats = std::min(beats, (need() - level_ - 1) / pace_.beat);
  return std::max<std::int64_t>(beats, 0);
}

std::int64_t MatrixCounts::alike_at_exit(bool out_ready) const {
  if (taken_ != 0 || (out_valid() && out_ready)) return 0;
  if (is_chain_ ? movers() != 0 : queued_ > 0 && !out_valid()) return 0;
  return under_way_.empty() ? forever : under_way_.front().clock - clock_;
}

std::int64_t MatrixCounts::alike(const In& in) const {
  std::int64_t clocks = std::min(alike_at_input(in.in_valid), alike_at_exit(in.out_ready));
  if (clocks == 0) return 0;
  if (!freed_.empty()) clocks = std::min(clocks, freed_.front().clock - clock_);
  if (!unread_.empty()) clocks = std::min(clocks, unread_.front() - clock_);
  if (takes_weights(in)) clocks = std::min(clocks, weight_beats_ - 1 - weight_beat_);
  if (word_ > 0) return std::min(clocks, words_ - 1 - word_);
  return room_ == 0 || waits_for_words() || !has_weights(in) ? clocks : 0;
}

void MatrixCounts::state(std::vector<std::int64_t>& all) const {
  all.insert(all.end(), {load_x_, load_y_, word_, tile_, group_, line_, level_, held_, room_,
                         arriving_, taken_, queued_, static_cast<std::int64_t>(exit_), loaded_,
                         free_, weight_beat_, std::ssize(unread_)});
  for (const std::int64_t clock : unread_) all.push_back(clock - clock_);
  for (const auto* later : {&freed_, &under_way_}) {
    all.push_back(std::ssize(*later));
    for (const Later& l : *later) all.insert(all.end(), {l.clock - clock_, l.count});
  }
}

// Runs them until one turn ends in the state of an earlier one.
std::int64_t counted_clocks(const MatrixPlan& plan, std::int64_t frames) {
  MatrixCounts counts(plan);
  const MatrixCounts::In in{.in_valid = true, .out_ready = true, .w_valid = true};
  struct End {
    std::int64_t turn, clock;
  };
  std::map<std::vector<std::int64_t>, End> ends;
  std::int64_t clock = 0;
  for (std::int64_t turn = 0;; ++turn) {
    for (std::int64_t left = frames * plan.out_beats(); left > 0;) {
      const std::int64_t clocks = std::max<std::int64_t>(counts.alike(in), 1);
      if (counts.out_valid()) --left;
      counts.clock(in, clocks);
      clock += clocks;
    }
    std::vector<std::int64_t> state;
    counts.state(state);
    const auto [same, is_new] = ends.try_emplace(state, End{turn, clock});
    if (!is_new) return ceil_div(clock - same->second.clock, turn - same->second.turn);
  }
}

}  // namespace kumiki::gen::matrix
