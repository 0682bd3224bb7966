// SPDX-License-Identifier: Apache-2.0
// Lanes side by side that map every number to a number. They all move or stand still together.
#pragma once
#include <optional>
#include <vector>

#include "gen/operators/conv/exits.h"

namespace kumiki::gen::pipeline {

class Island {
 public:
  // `latency`: enabled clocks from a lane's registers to its result. `passes`: the stream has the
  // maps of so many parts of the channels one below the other.
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
