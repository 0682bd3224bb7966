// SPDX-License-Identifier: Apache-2.0
// Lanes side by side that map every number to a number. They all move or stand still together.
#pragma once
#include <optional>
#include <vector>

#include "gen/operators/conv/exits.h"

namespace kumiki::gen::pipeline {

// Parts of the channels, one below the other: the stream has as many maps as passes. Blocks of a
// pixel are then a power of two.
struct Passes {
  std::int64_t count = 1, channels = 0;  // of all passes
  // The same numbers as one map, whose blocks have the indices of Island::Lane.
  Stream together(Stream s) const {
    if (count == 1) return s;
    s.height /= count;
    s.channels = channels;
    return s;
  }
  // The index of a beat's block.
  std::int64_t block(const Stream& s, std::int64_t beat) const {
    return beat / (s.beats() / count) * (count == 1 ? 0 : s.blocks()) + beat % s.blocks();
  }
  bool operator==(const Passes&) const = default;
};

class Island {
 public:
  // `latency`: enabled clocks from a lane's registers to its result.
  static Moving schedule(const Stream& stream, int latency, std::int64_t passes = 1);
  Island(Scope& s, const Stream& stream, const Moving& schedule, const MachineIn<Hardware>& in,
         std::int64_t passes = 1);
  struct Lane {
    Net enable;
    UInt number;
    UInt block;  // the block's index among those of a pixel, of all passes; empty: there is one
  };
  const std::vector<Lane>& lanes() const { return lanes_; }
  MachineOut<Hardware> leave(const std::vector<UInt>& results);

 private:
  std::optional<Exits> exits_;
  std::vector<Lane> lanes_;
};

}  // namespace kumiki::gen::pipeline
