// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "gen/layers/pipeline/counts/results.h"

namespace kumiki::gen::pipeline {
namespace {

// What is written into the ring, and the windows that read it.
class Windows {
 public:
  explicit Windows(const Ring& r)
      : ring_(r),
        block_{r.around.blocks},
        column_{std::ssize(r.around.columns)},
        line_{std::ssize(r.around.lines)},
        step_{r.steps},
        out_block_{r.around.blocks},
        out_column_{r.out_columns},
        out_line_{r.out_lines},
        ahead_(-r.needed),
        space_(r.room) {}
  bool ready() const { return room_ && is_inside(); }
  bool computes(bool results_have_room) const { return ahead_ >= 0 && results_have_room; }
  bool is_last_step() const { return step_.is_last(); }
  std::int64_t frames() const { return frames_; }  // whose windows have all ended

  // The number of clocks in which only the next beat (if one comes) and the next step (if it
  // computes) happen; `forever` if neither goes on.
  std::int64_t alike(bool comes, bool computes) const {
    // Wait until nothing is on its way from one counter to another.
    if (written_ || released_ > 0 || room_ != (space_ >= 0)) return 0;
    return std::min(loads(comes) ? block_.left() : forever, computes ? step_.left() : forever);
  }
  void clock(bool comes, bool computes, std::int64_t clocks) {
    const bool loads = this->loads(comes);
    room_ = space_ >= 0;
    space_ += released_ - (written_ ? 1 : 0);
    ahead_ += written_ ? 1 : 0;
    released_ = computes && step_.ends(clocks) && out_block_.ends() ? release() : 0;
    ahead_ -= released_;
    written_ = loads && block_.ends(clocks);
    if (written_ && column_.ends()) line_.ends();
  }
  void state(std::vector<std::int64_t>& all) const {
    all.insert(all.end(),
               {ahead_, space_, room_ ? 1 : 0, written_ ? 1 : 0, released_, line_.at, column_.at,
                block_.at, out_line_.at, out_column_.at, out_block_.at, step_.at});
  }

 private:
  bool is_inside() const {
    return ring_.around.lines[static_cast<std::size_t>(line_.at)] &&
           ring_.around.columns[static_cast<std::size_t>(column_.at)];
  }
  bool loads(bool comes) const { return room_ && (comes || !is_inside()); }
  // The positions that a window releases with its last block.
  std::int64_t release() {
    const bool line_ends = out_column_.ends(), frame_ends = line_ends && out_line_.ends();
    if (frame_ends) ++frames_;
    return ring_.next(line_ends, frame_ends);
  }
  Ring ring_;
  Cyclic block_, column_, line_, step_, out_block_, out_column_, out_line_;
  std::int64_t ahead_, space_, released_ = 0, frames_ = 0;
  bool room_ = true, written_ = false;
};

class RingCounts : public Counts {
 public:
  explicit RingCounts(const Ring& r) : windows_(r), results_(r.results) {}
  Shown shown() const override {
    return {.ready = windows_.ready() ? 1u : 0u, .valid = results_.valid()};
  }
  std::int64_t alike(const Given& given) const override {
    return std::min(results_.alike(false, given.ready),
                    windows_.alike(given.valid != 0, windows_.computes(results_.room())));
  }
  void clock(const Given& given, std::int64_t clocks) override {
    const bool computes = windows_.computes(results_.room());
    results_.clock(computes && windows_.is_last_step(), given.ready, clocks);
    windows_.clock(given.valid != 0, computes, clocks);
  }
  void state(std::vector<std::int64_t>& all) const override {
    windows_.state(all);
    results_.state(all);
  }

 private:
  Windows windows_;
  ResultsCounts results_;
};

constexpr std::size_t most_in_turn = 16, most_frames = 1000;

// With a small ring, frames may alternate: returns the mean of those that repeat, rounded up; 0:
// none repeat.
std::int64_t repeated(const std::vector<std::int64_t>& ends) {
  const auto took = [&](std::size_t back) {
    return ends[ends.size() - 1 - back] - ends[ends.size() - 2 - back];
  };
  for (std::size_t turn = 1; turn <= most_in_turn && 3 * turn + 2 <= ends.size(); ++turn) {
    bool is_alike = true;
    for (std::size_t back = 0; back < 2 * turn; ++back)
      is_alike = is_alike && took(back) == took(back + turn);
    const auto frames = static_cast<std::int64_t>(turn);
    if (is_alike) return (ends.back() - ends[ends.size() - 1 - turn] + frames - 1) / frames;
  }
  return 0;
}

}  // namespace

std::int64_t Ring::interval() const {
  Windows windows(*this);
  std::vector<std::int64_t> ends{0};
  for (std::int64_t clock = 0; ends.size() < most_frames;) {
    const std::int64_t skipped = windows.alike(true, windows.computes(true));
    if (skipped == forever) throw std::logic_error("a ring that is too small for a window");
    if (skipped > 0) windows.clock(true, windows.computes(true), skipped);
    windows.clock(true, windows.computes(true), 1);
    clock += skipped + 1;
    if (windows.frames() == std::ssize(ends) - 1) continue;
    ends.push_back(clock);
    if (const std::int64_t clocks = repeated(ends); clocks > 0) return clocks;
  }
  throw std::logic_error("frames that never repeat");
}

std::unique_ptr<Counts> Ring::counts() const { return std::make_unique<RingCounts>(*this); }

}  // namespace kumiki::gen::pipeline
