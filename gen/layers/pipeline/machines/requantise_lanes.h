// SPDX-License-Identifier: Apache-2.0
// What belongs to the channels of a lane: lane, lane + lanes, and so on.
#pragma once
#include <vector>

#include "gen/arith/interval.h"
#include "gen/blocks/requant/constants.h"
#include "gen/layers/pipeline/machines/island.h"

namespace kumiki::gen::pipeline {

// A lane without channels gets the entry of the first channel: nobody reads its results.
template <class T>
std::vector<T> of_lane(const Stream& stream, std::size_t lane, const std::vector<T>& all) {
  std::vector<T> mine;
  for (std::size_t c = lane; c < all.size(); c += static_cast<std::size_t>(stream.lanes))
    mine.push_back(all[c]);
  if (mine.empty()) mine.push_back(all.front());
  return mine;
}

// The channel whose entry a lane uses for a block: past the last channel that of its first block.
inline std::int64_t channel_of(const Stream& stream, std::size_t lane, std::int64_t block) {
  const auto i = static_cast<std::int64_t>(lane);
  const std::int64_t c = block * stream.lanes + i;
  return c < stream.channels ? c : i < stream.channels ? i : 0;
}

inline std::uint32_t index_bits(const Stream& stream) {
  return static_cast<std::uint32_t>(arith::bits_for_count(stream.blocks()));
}

// values[block], clocks_of_constants(index_bits) later; past the end the first value.
inline UInt of_block(Scope& s, const Stream& stream, std::uint32_t width,
                     const std::vector<std::uint64_t>& values, const Island::Lane& lane) {
  if (stream.blocks() == 1) return s.constant(values.front(), width);
  return requant::constants(s, width, values, lane.block, lane.enable);
}

}  // namespace kumiki::gen::pipeline
