// SPDX-License-Identifier: Apache-2.0
// What a channel's rule computes, `latency` enabled clocks after a valid accumulator went in. q
// keeps the last valid result; the number of a channel that is not there stands for the first one.
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
