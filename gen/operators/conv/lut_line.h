// SPDX-License-Identifier: Apache-2.0
// One word times a constant plus a constant on as few LUT sites as a few ways give.
#pragma once
#include <cstdint>

#include "gen/arith/lines.h"
#include "gen/blocks/const_matrix/network.h"

namespace kumiki::gen::pipeline {

struct LutLine {
  std::int64_t factor = 1, offset = 0;
  int shift = 0;
  // Input 0 is the word, input 1 the offset without the zeros at its end, where it is not 0;
  // without stages.
  const_matrix::Network network;
};

// The cheapest of lines, for words of this range.
LutLine cheapest(const std::vector<arith::Line>& lines, const arith::Interval& words);

}  // namespace kumiki::gen::pipeline
