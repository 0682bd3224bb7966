// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/counts/lazy.h"

#include <utility>

namespace kumiki::gen::pipeline {

Lazy::Lazy(std::unique_ptr<Counts> counts) : counts_(std::move(counts)), shown_(counts_->shown()) {
  look_ahead();
}

void Lazy::state(std::int64_t clock, std::vector<std::int64_t>& all) {
  catch_up(clock);
  look_ahead();
  counts_->state(all);
}

}  // namespace kumiki::gen::pipeline
