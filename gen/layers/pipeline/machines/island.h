// SPDX-License-Identifier: Apache-2.0
// Lanes side by side that make a number of every number, all in the same clocks: they stand still
// together.
#pragma once
#include <optional>
#include <vector>

#include "gen/operators/conv/exits.h"

namespace kumiki::gen::pipeline {

class Island {
 public:
  // `latency`: the enabled clocks from a lane's registers to its result.
  Island(Scope& s, const Stream& stream, int latency, const MachineIn<Hardware>& in);
  struct Lane {
    Net enable;
    UInt number;
    UInt block;  // its place in the pixel; nothing where a pixel is one block
  };
  const std::vector<Lane>& lanes() const { return lanes_; }
  MachineOut<Hardware> leave(const std::vector<UInt>& results);

  // In front of the lanes.
  static int clocks_before(const Stream& stream) { return stream.blocks() > 1 ? 1 : 0; }

 private:
  std::optional<Exits> exits_;
  std::vector<Lane> lanes_;
};

// The same for models: what a lane makes of a beat is left to them.
class IslandModel : public MachineModel {
 public:
  IslandModel(const Stream& stream, int latency);
  void reset() override;
  MachineOut<Values> shown() const override;
  void clock(const MachineIn<Values>& in) override;

 protected:
  virtual std::vector<std::uint64_t> results(const std::vector<std::uint64_t>& numbers,
                                             std::int64_t block) const = 0;

 private:
  Stream stream_;
  MovingModel moving_;
  std::int64_t block_ = 0;
};

}  // namespace kumiki::gen::pipeline
