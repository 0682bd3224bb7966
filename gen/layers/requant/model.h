// SPDX-License-Identifier: Apache-2.0
// The model of a requantisation by definition: q = clamp(round((acc + bias) * scale / 2^shift) +
// zero point), `latency` enabled clocks after a valid accumulator. q keeps the last valid result.
#pragma once
#include <cstdint>

#include "gen/arith/interval.h"
#include "gen/layers/requant/plan.h"
#include "gen/layers/requant/under_way.h"

namespace kumiki::gen::requant {

// numerator / 2^shift rounded, computed on the magnitude.
std::int64_t divide(arith::Exact numerator, int shift, Rounding rounding);

class RequantModel {
 public:
  explicit RequantModel(const Plan& plan);
  void power_up() { under_way_.power_up(); }
  RequantOut<Values> step(const RequantIn<Values>& in) {
    return under_way_.step(in, in.en ? result(in) : 0);
  }

 private:
  std::uint64_t result(const RequantIn<Values>& in) const;

  Request request_;
  std::int64_t scale_ = 0, low_ = 0, high_ = 0;
  int shift_ = 0;
  UnderWay under_way_;
};

}  // namespace kumiki::gen::requant
