// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/layers/pipeline/counts/results.h"

namespace kumiki::gen::pipeline {
namespace {

class LinesCounts : public Counts {
 public:
  explicit LinesCounts(const Lines& l)
      : held_(l.held), coming_{l.beats}, reading_{l.gives}, results_(l.results) {}
  Shown shown() const override {
    return {.ready = lines_ < held_ ? 1u : 0u, .valid = results_.valid()};
  }
  std::int64_t alike(const Given& given) const override {
    return std::min({results_.alike(reads(), given.ready), reads() ? reading_.left() : forever,
                     takes(given) ? coming_.left() : forever});
  }
  void clock(const Given& given, std::int64_t clocks) override {
    const bool takes = this->takes(given), reads = this->reads();
    results_.clock(reads, given.ready, clocks);
    if (reads && reading_.ends(clocks)) --lines_;
    if (takes && coming_.ends(clocks)) ++lines_;
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {lines_, coming_.at, reading_.at});
    results_.state(all);
  }

 private:
  bool takes(const Given& given) const { return lines_ < held_ && given.valid != 0; }
  bool reads() const { return lines_ > 0 && results_.room(); }
  std::int64_t held_;
  Cyclic coming_, reading_;
  ResultsCounts results_;
  std::int64_t lines_ = 0;  // whole ones in the memory
};

}  // namespace

std::unique_ptr<Counts> Lines::counts() const { return std::make_unique<LinesCounts>(*this); }

}  // namespace kumiki::gen::pipeline
