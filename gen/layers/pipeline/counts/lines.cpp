// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "gen/layers/pipeline/counts/results.h"

namespace kumiki::gen::pipeline {
namespace {

class LinesCounts : public Counts {
 public:
  explicit LinesCounts(Lines l)
      : l_(std::move(l)), coming_{l_.beats}, reading_{l_.gives}, results_(l_.results) {}
  Shown shown() const override {
    return {.ready = lines_ < l_.room ? 1u : 0u, .valid = results_.valid()};
  }
  std::int64_t alike(const Given& given) const override {
    return std::min({results_.alike(reads(), given.ready), reads() ? reading_.left() : forever,
                     takes(given) ? coming_.left() : forever});
  }
  void clock(const Given& given, std::int64_t clocks) override {
    const bool takes = this->takes(given), reads = this->reads();
    results_.clock(reads, given.ready, clocks);
    if (reads && reading_.ends(clocks)) {
      lines_ -= now().frees;
      at_ = (at_ + 1) % l_.readings.size();
    }
    if (takes && coming_.ends(clocks)) ++lines_;
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {lines_, coming_.at, reading_.at, static_cast<std::int64_t>(at_)});
    results_.state(all);
  }

 private:
  const Lines::Reading& now() const { return l_.readings[at_]; }
  bool takes(const Given& given) const { return lines_ < l_.room && given.valid != 0; }
  bool reads() const { return lines_ >= now().needs && results_.room(); }
  Lines l_;
  Cyclic coming_, reading_;
  ResultsCounts results_;
  std::int64_t lines_ = 0;  // whole ones in the memory
  std::size_t at_ = 0;      // reading of the piece
};

}  // namespace

std::int64_t Lines::interval() const {
  std::int64_t lines = 0;
  for (const Reading& r : readings) lines += r.frees;
  const std::int64_t come = lines * beats, leave = std::ssize(readings) * gives;
  return pieces * (room == 1 ? come + leave : std::max(come, leave));
}

std::unique_ptr<Counts> Lines::counts() const { return std::make_unique<LinesCounts>(*this); }

}  // namespace kumiki::gen::pipeline
