// SPDX-License-Identifier: Apache-2.0
// Stages in series that all move or all stand still together. Beats come from one or more inputs,
// one of each at a time, and wait for each other in registers.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "gen/hdl/hdl.h"
#include "gen/operators/conv/exits.h"

namespace kumiki::gen::pipeline {

class Stages {
 public:
  // `stages`: those after the registers that hold the inputs.
  Stages(Scope& s, const MachineIn<Hardware>& in, std::int64_t lanes, int stages);
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

class StagesModel : public MachineModel {
 public:
  using Beat = MovingModel::Beat;
  void reset() override;
  MachineOut<Values> shown() const override;
  void clock(const MachineIn<Values>& in) override;

 protected:
  // The result for one beat of each input.
  using Function = std::function<Beat(const std::vector<Beat>&)>;
  StagesModel(const std::vector<Stream>& inputs, std::int64_t lanes, int stages, Function function)
      : inputs_(inputs),
        lanes_(lanes),
        function_(std::move(function)),
        held_(inputs.size()),
        moving_(stages) {}

 private:
  bool all_are_there() const;
  std::vector<Stream> inputs_;
  std::int64_t lanes_;
  Function function_;
  std::vector<std::optional<Beat>> held_;
  MovingModel moving_;
};

}  // namespace kumiki::gen::pipeline
