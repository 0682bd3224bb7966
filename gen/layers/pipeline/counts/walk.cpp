// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/layers/pipeline/counts/results.h"

namespace kumiki::gen::pipeline {
namespace {

class WalkCounts : public Counts {
 public:
  explicit WalkCounts(const Walk& w)
      : walk_(w),
        block_{w.around.blocks},
        column_{std::ssize(w.columns)},
        line_{std::ssize(w.lines)},
        results_(w.results) {}
  Shown shown() const override {
    return {.ready = results_.room() && is_inside() ? 1u : 0u, .valid = results_.valid()};
  }
  std::int64_t alike(const Given& given) const override {
    const bool moves = this->moves(given);
    return std::min(results_.alike(moves && completes(), given.ready),
                    moves ? block_.left() : forever);
  }
  void clock(const Given& given, std::int64_t clocks) override {
    const bool moves = this->moves(given);
    results_.clock(moves && completes(), given.ready, clocks);
    if (moves && block_.ends(clocks) && column_.ends()) line_.ends();
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {line_.at, column_.at, block_.at});
    results_.state(all);
  }

 private:
  bool of_both(const std::vector<bool>& lines, const std::vector<bool>& columns) const {
    return lines[static_cast<std::size_t>(line_.at)] &&
           columns[static_cast<std::size_t>(column_.at)];
  }
  bool is_inside() const { return of_both(walk_.around.lines, walk_.around.columns); }
  bool completes() const { return of_both(walk_.lines, walk_.columns); }
  bool moves(const Given& given) const {
    return results_.room() && (given.valid != 0 || !is_inside());
  }
  Walk walk_;
  Cyclic block_, column_, line_;
  ResultsCounts results_;
};

}  // namespace

std::unique_ptr<Counts> Walk::counts() const { return std::make_unique<WalkCounts>(*this); }

}  // namespace kumiki::gen::pipeline
