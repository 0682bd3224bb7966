// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/resize/machine.h"

namespace kumiki::gen::pipeline {

ReorderPlan repeated(const Stream& stream, std::array<int, 2> factor) {
  ReorderPlan plan{stream, stream, stream.height, {}};
  plan.made.height *= factor[0];
  plan.made.width *= factor[1];
  const std::int64_t blocks = stream.blocks();
  for (int row = 0; row < factor[0]; ++row)
    for (std::int64_t column = 0; column < plan.made.width; ++column)
      for (std::int64_t block = 0; block < blocks; ++block)
        plan.reads.push_back(static_cast<std::int32_t>(column / factor[1] * blocks + block));
  return plan;
}

}  // namespace kumiki::gen::pipeline
