// SPDX-License-Identifier: Apache-2.0
// From the definition: `latency` enabled clocks after a set began its sum of products comes out.
#pragma once
#include <deque>

#include "gen/layers/lut_macc/plan.h"

namespace kumiki::gen::lut_macc {

class MaccModel {
 public:
  explicit MaccModel(const Plan& plan);
  void power_up();
  MaccOut<Values> step(const MaccIn<Values>& in);

 private:
  Plan plan_;
  std::deque<MaccIn<Values>> past_;  // youngest first; in_valid: a set that is still under way
};

}  // namespace kumiki::gen::lut_macc
