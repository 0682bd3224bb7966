// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/pace.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace kumiki::gen::matrix {
namespace {

constexpr std::int64_t most_groups = 5'000'000;  // simulated before giving up

// Walks over the groups of pixels, frame after frame, and tracks where each begins in the stream of
// words.
class Walk {
 public:
  explicit Walk(const Pace& pace) : p_(pace) {}
  std::int64_t base() const { return base_; }
  std::int64_t last_word() const {
    return base_ + (group_ == p_.groups_a_line - 1 ? p_.need_last : p_.need) - 1;
  }
  void next() {
    const bool line_ends = ++group_ == p_.groups_a_line;
    const bool frame_ends = line_ends && line_ == p_.lines - 1;
    base_ += frame_ends ? p_.next_frame : line_ends ? p_.next_line : p_.next_group;
    if (line_ends) group_ = 0;
    if (line_ends) line_ = frame_ends ? 0 : line_ + 1;
  }

 private:
  const Pace& p_;
  std::int64_t base_ = 0, group_ = 0, line_ = 0;
};

// The least and the most growth of the times from one frame to the next.
struct Step {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
  void add(std::int64_t clocks) {
    least = std::min(least, clocks);
    most = std::max(most, clocks);
  }
};

// Recognises frames that repeat: what follows a frame depends on how many groups hold words and on
// the last times, relative to each other.
class Repetition {
 public:
  // How many of the last frames were three turns of a cycle, or more; 0: none is known.
  std::int64_t cycled(std::int64_t holding, std::span<const std::int64_t> begins,
                      std::span<const std::int64_t> came) {
    ++frame_;
    if (holding == holding_ && is_same(begins, came)) return ++seen_ >= 3 ? frame_ - kept_ : 0;
    if (frame_ < 2 * kept_) return 0;
    kept_ = frame_;
    seen_ = 0;
    holding_ = holding;
    begins_.assign(begins.begin(), begins.end());
    came_.assign(came.begin(), came.end());
    return 0;
  }

 private:
  bool is_same(std::span<const std::int64_t> begins, std::span<const std::int64_t> came) const {
    const std::int64_t later = came.back() - came_.back();
    const auto same = [&](std::int64_t now, std::int64_t before) { return now - before == later; };
    return std::ranges::equal(begins, begins_, same) && std::ranges::equal(came, came_, same);
  }
  std::int64_t frame_ = 0, kept_ = 0, holding_ = -1;
  int seen_ = 0;
  std::vector<std::int64_t> begins_, came_;
};

}  // namespace

std::optional<std::int64_t> frame_clocks(const Pace& p, std::int64_t ring) {
  const std::int64_t groups = p.groups(), bound = p.bound();
  // A frame depends on so many frames before it.
  const std::int64_t back = ring / p.frame_words + 2;
  if ((back + 2) * groups > most_groups) return {};
  // The clocks in which groups begin, as far back as needed; for the last frame also the clock in
  // which the last needed word of each group came.
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> came(static_cast<std::size_t>(groups), 0);
  Walk needed(p), freed(p);
  // Most streams have one word a beat, and a division costs as much as the rest of a step.
  const auto beats = [&](std::int64_t words) { return p.beat == 1 ? words : words / p.beat; };
  std::int64_t room = beats(freed.base() + ring);  // the first beat that does not fit
  std::size_t given_back = 0;
  std::int64_t beat = -1, time = -1, begin = -p.group_clocks;
  std::int64_t settled = 0, before = 0;
  Repetition repetition;
  for (std::int64_t played = 0; played + groups <= most_groups; played += groups) {
    Step step;
    for (std::int64_t g = 0; g < groups; ++g, needed.next()) {
      // One beat comes in a clock, but not before there is room for it. The last row must have read
      // a group's words before they are released.
      const std::int64_t wanted = beats(needed.last_word());
      time += wanted - beat;
      beat = wanted;
      while (room <= wanted) {
        if (given_back == begins.size()) return {};  // the ring cannot hold what a group needs
        time = std::max(time, begins[given_back++] + p.group_clocks + p.hold + wanted - room);
        freed.next();
        room = beats(freed.base() + ring);
      }
      begin = std::max(begin + p.group_clocks, time + p.notice);
      if (played > 0) {
        step.add(begin - begins[begins.size() - static_cast<std::size_t>(groups)]);
        step.add(time - came[g]);
      }
      begins.push_back(begin);
      came[g] = time;
    }
    const std::size_t past = std::min(given_back, begins.size() - static_cast<std::size_t>(groups));
    if (2 * past >= begins.size()) {
      begins.erase(begins.begin(), begins.begin() + static_cast<std::ptrdiff_t>(past));
      given_back -= past;
    }
    if (played == 0) continue;
    // Every time is the maximum of earlier times plus constants. So if no time has grown by more
    // than the bound, none ever will. If all have grown by the same amount, they always will.
    const bool at_bound = step.most <= bound, even = step.least == step.most;
    const std::int64_t now = at_bound ? bound : even ? step.most : 0;
    settled = now != 0 && now == before ? settled + 1 : 1;
    before = now;
    if (now != 0 && settled >= back) return now;
    const std::size_t oldest =
        std::min(given_back, begins.size() - static_cast<std::size_t>(groups));
    const std::int64_t cycled =
        repetition.cycled(std::ssize(begins) - static_cast<std::int64_t>(given_back),
                          std::span(begins).subspan(oldest), came);
    // Frames that differ within a cycle always will.
    if (settled < cycled) return {};
  }
  return {};
}

std::int64_t generous_ring(const Pace& p) {
  // How far ahead of group `b` the loader must be for group `c`: the words up to the last one that
  // `c` needs, minus those that arrive while the groups between them are computed. Both grow
  // linearly except at the ends of lines and frames, so only the groups at those corners matter.
  struct Corner {
    std::int64_t number, base, last_word;
  };
  std::vector<Corner> corners;
  const std::int64_t line = p.next_line + (p.groups_a_line - 1) * p.next_group;
  for (std::int64_t frame = 0; frame < 3; ++frame)
    for (const std::int64_t y : {std::int64_t{0}, std::int64_t{1}, p.lines - 2, p.lines - 1})
      for (const std::int64_t x :
           {std::int64_t{0}, std::int64_t{1}, p.groups_a_line - 2, p.groups_a_line - 1}) {
        if (x < 0 || x >= p.groups_a_line || y < 0 || y >= p.lines) continue;
        const std::int64_t base = frame * p.frame_words + y * line + x * p.next_group;
        corners.push_back({(frame * p.lines + y) * p.groups_a_line + x, base,
                           base + (x == p.groups_a_line - 1 ? p.need_last : p.need) - 1});
      }
  std::int64_t most = p.need;
  for (const Corner& b : corners)
    for (const Corner& c : corners) {
      // If the columns never wait, groups after `b` count; if the stream never waits, groups before
      // it.
      const bool counts =
          b.number < c.number ? p.of_columns() >= p.of_input() : p.of_columns() <= p.of_input();
      if (counts)
        most = std::max(most,
                        c.last_word - b.base + p.beat * (b.number - c.number + 1) * p.group_clocks);
    }
  return most + p.beat * (p.hold + p.notice + 2);
}

}  // namespace kumiki::gen::matrix
