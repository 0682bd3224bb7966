// SPDX-License-Identifier: Apache-2.0
// The model of a requantisation, from its definition: q = clamp(round((acc + bias) * scale /
// 2^shift) + zero point), `latency` enabled clocks after a valid accumulator went in. q keeps the
// last valid result.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/arith/interval.h"
#include "gen/layers/requant/plan.h"

namespace kumiki::gen::requant {

// numerator / 2^shift rounded, computed on the magnitude.
std::int64_t divide(arith::Exact numerator, int shift, Rounding rounding);

class RequantModel {
 public:
  explicit RequantModel(const Plan& plan);
  void power_up();
  RequantOut<Values> step(const RequantIn<Values>& in);

 private:
  struct Entry {
    bool valid = false;
    std::uint64_t q = 0;
  };
  std::uint64_t result(const RequantIn<Values>& in) const;

  Request request_;
  std::int64_t scale_ = 0, low_ = 0, high_ = 0;
  int shift_ = 0;
  std::size_t latency_;
  std::vector<Entry> on_the_way_;  // youngest first
  Entry out_;
};

}  // namespace kumiki::gen::requant
