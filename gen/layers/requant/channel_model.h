// SPDX-License-Identifier: Apache-2.0
// What a channel's rule computes, `latency` enabled clocks after a valid accumulator went in. q
// keeps the last valid result; the number of a channel that is not there stands for the first one.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/requant/channel_plan.h"

namespace kumiki::gen::requant {

class ChannelModel {
 public:
  explicit ChannelModel(const ChannelPlan& plan);
  void power_up();
  RequantOut<Values> step(const ChannelIn<Values>& in);

 private:
  struct Entry {
    bool valid = false;
    std::uint64_t q = 0;
  };
  std::uint64_t result(const ChannelIn<Values>& in) const;

  std::vector<ChannelRule> rules_;
  std::vector<arith::Steps> steps_;
  std::vector<bool> is_equal_;
  int result_bits_;
  std::size_t latency_;
  std::vector<Entry> on_the_way_;  // youngest first
  Entry out_;
};

}  // namespace kumiki::gen::requant
