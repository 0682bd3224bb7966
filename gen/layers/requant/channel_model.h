// SPDX-License-Identifier: Apache-2.0
// Computes a channel's rule; the result comes `latency` enabled clocks after a valid accumulator. q
// keeps the last valid result. A channel number out of range selects the first channel.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/requant/channel_plan.h"
#include "gen/layers/requant/under_way.h"

namespace kumiki::gen::requant {

class ChannelModel {
 public:
  explicit ChannelModel(const ChannelPlan& plan);
  void power_up() { under_way_.power_up(); }
  RequantOut<Values> step(const ChannelIn<Values>& in) {
    return under_way_.step(in, in.en ? result(in) : 0);
  }

 private:
  std::uint64_t result(const ChannelIn<Values>& in) const;

  ChannelPlan plan_;
  std::vector<bool> is_equal_;
  int result_bits_;
  UnderWay under_way_;
};

}  // namespace kumiki::gen::requant
