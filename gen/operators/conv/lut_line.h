// SPDX-License-Identifier: Apache-2.0
// One word times a constant plus a constant, on the fewest LUT sites that a few methods find.
#pragma once
#include <cstdint>

#include "gen/arith/lines.h"
#include "gen/blocks/const_matrix/network.h"

namespace kumiki::gen::pipeline {

struct LutLine {
  std::int64_t factor = 1, offset = 0;
  int shift = 0;
  // Input 0 is the word. If the offset is not 0, input 1 is the offset without its trailing zeros.
  // Has no stages.
  const_matrix::Network network;
};

// The cheapest of the lines, for words of this range.
LutLine cheapest(const std::vector<arith::Line>& lines, const arith::Interval& words);

}  // namespace kumiki::gen::pipeline
