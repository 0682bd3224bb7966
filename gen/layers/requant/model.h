// SPDX-License-Identifier: Apache-2.0
// The model of a requantisation: the definition's result, `latency` enabled clocks after a valid
// accumulator. q keeps the last valid result.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "gen/layers/requant/channels.h"

namespace kumiki::gen::requant {

class RequantModel {
 public:
  explicit RequantModel(const Plan& plan);
  explicit RequantModel(const ChannelPlan& plan);
  void power_up();
  RequantOut<Values> step(const RequantIn<Values>& in);

 private:
  using Result = std::function<std::int64_t(const RequantIn<Values>&)>;
  RequantModel(int latency, int result_bits, Result result);
  struct Entry {
    bool valid = false;
    std::uint64_t q = 0;
  };

  int result_bits_;
  Result result_;
  std::vector<Entry> under_way_;  // the youngest first
  Entry out_;
};

}  // namespace kumiki::gen::requant
