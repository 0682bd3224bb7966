// SPDX-License-Identifier: Apache-2.0
// Packs the lanes of a beat into one word, the first lane lowest, and back.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/hdl/scope.h"
#include "gen/hdl/word.h"

namespace kumiki::gen::pipeline {

inline UInt joined(Scope& s, const std::vector<UInt>& lanes) {
  const std::vector<Word> high_to_low(lanes.rbegin(), lanes.rend());
  return cat(s, high_to_low);
}

inline std::vector<UInt> lanes_of(const UInt& word, std::int64_t lanes) {
  const std::uint32_t width = word.width() / static_cast<std::uint32_t>(lanes);
  std::vector<UInt> all;
  for (std::uint32_t low = 0; low < word.width(); low += width)
    all.push_back(word.slice(low, width));
  return all;
}

}  // namespace kumiki::gen::pipeline
