// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/counts/agenda.h"

#include <algorithm>

namespace kumiki::gen::pipeline {

void Agenda::restart(std::int64_t clock) {
  std::ranges::fill(next_, never);
  if (in_wheel_ > 0)
    for (auto& members : wheel_) members.clear();
  in_wheel_ = 0;
  far_ = {};
  clock_ = clock;
}

}  // namespace kumiki::gen::pipeline
