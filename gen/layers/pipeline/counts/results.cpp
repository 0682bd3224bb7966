// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/counts/results.h"

namespace kumiki::gen::pipeline {

ResultsCounts::Next ResultsCounts::next(bool out_ready) const {
  Next n{.room = waiting_ <= plan_.limit(), .valid = valid_, .waiting = waiting_};
  if (!valid_ || out_ready) {
    n.valid = waiting_ > 0;
    if (n.valid) --n.waiting;
  }
  // What arrives now began before this clock.
  if (under_way_.leaves(false)) ++n.waiting;
  return n;
}

std::int64_t ResultsCounts::alike(bool begins, bool out_ready) const {
  const Next n = next(out_ready);
  if (n.room != room_ || n.valid != valid_ || n.waiting != waiting_) return 0;
  return under_way_.alike(begins);
}

void ResultsCounts::clock(bool begins, bool out_ready, std::int64_t clocks) {
  const Next n = next(out_ready);
  room_ = n.room;
  valid_ = n.valid;
  waiting_ = n.waiting;
  under_way_.clock(begins, clocks);
}

void ResultsCounts::state(std::vector<std::int64_t>& all) const {
  all.insert(all.end(), {room_ ? 1 : 0, valid_ ? 1 : 0, waiting_});
  under_way_.state(all);
}

}  // namespace kumiki::gen::pipeline
