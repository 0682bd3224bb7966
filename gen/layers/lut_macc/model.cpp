// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/lut_macc/model.h"

#include "gen/arith/format.h"

namespace kumiki::gen::lut_macc {

MaccModel::MaccModel(const Plan& plan) : plan_(plan) { power_up(); }

void MaccModel::power_up() {
  const auto n = static_cast<std::size_t>(plan_.request.terms);
  MaccIn<Values> nothing{};
  nothing.a.assign(n, 0);
  nothing.b.assign(n, 0);
  past_.assign(static_cast<std::size_t>(plan_.latency()), nothing);
}

MaccOut<Values> MaccModel::step(const MaccIn<Values>& in) {
  MaccOut<Values> out{.out_valid = past_.back().in_valid, .sum = 0};
  std::int64_t sum = 0;
  for (int i = 0; i < plan_.request.terms; ++i) {
    const auto& then = past_[plan_.latency() - 1 - plan_.lateness(i)];
    const auto at = static_cast<std::size_t>(i);
    sum +=
        arith::value_of(then.a[at], plan_.request.a) * arith::value_of(then.b[at], plan_.request.b);
  }
  out.sum = arith::raw_of(sum, plan_.sum_bits);
  if (in.en) {
    past_.push_front(in);
    past_.pop_back();
  }
  if (in.rst)
    for (auto& set : past_) set.in_valid = false;
  return out;
}

}  // namespace kumiki::gen::lut_macc
