// SPDX-License-Identifier: Apache-2.0
// The model of lut_macc by definition: the sum of products of a set comes `latency` enabled clocks
// after the start of the set.
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
  std::deque<MaccIn<Values>> past_;  // the youngest first; in_valid is cleared for sets that were
                                     // reset
};

}  // namespace kumiki::gen::lut_macc
