// SPDX-License-Identifier: Apache-2.0
// Stages in series that all move or all stand still together. Beats come from one or more inputs,
// one of each at a time, and wait for each other in registers.
#pragma once
#include <optional>
#include <vector>

#include "gen/hdl/hdl.h"
#include "gen/operators/conv/exits.h"

namespace kumiki::gen::pipeline {

class Stages {
 public:
  // `stages`: those after the registers that hold the inputs.
  static Moving schedule(const Stream& stream, std::size_t inputs, int stages);
  Stages(Scope& s, const MachineIn<Hardware>& in, std::int64_t lanes, const Moving& schedule);
  // The enables of a lane: for the registers that hold an input, and for every stage.
  Net takes(std::int64_t lane, std::size_t input) const {
    return takes_[Exits::group_of(lane)][input];
  }
  Net moves(std::int64_t lane) const { return exits_->moves(lane); }
  // Sends the results of the last stage, all lanes.
  MachineOut<Hardware> leave(const std::vector<UInt>& lanes);

 private:
  std::vector<std::vector<Net>> takes_;  // [group][input]
  std::optional<Exits> exits_;
};

}  // namespace kumiki::gen::pipeline
