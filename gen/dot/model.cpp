// SPDX-License-Identifier: Apache-2.0
#include "gen/dot/model.h"

#include <algorithm>

namespace kumiki::gen::dot {

DotModel::DotModel(unsigned terms, unsigned latency, bool external_skew)
    : terms_(terms), latency_(latency), external_skew_(external_skew) {
  power_up();
}

void DotModel::power_up() {
  DotIn<Values> nothing{};
  nothing.a = nothing.d = nothing.b = std::vector<std::int64_t>(terms_, 0);
  history_.assign(latency_, nothing);
  valid_.assign(latency_, false);
  newest_ = 0;
}

const DotIn<Values>& DotModel::aged(unsigned age) const {
  return history_[(newest_ + history_.size() - (age - 1)) % history_.size()];
}

DotOut<Values> DotModel::step(const DotIn<Values>& in) {
  DotOut<Values> out{.out_valid = valid_.back(), .ab = 0, .db = 0};
  for (unsigned i = 0; i < terms_; ++i) {
    const DotIn<Values>& x = aged(external_skew_ ? latency_ - i : latency_);
    out.ab += x.a[i] * x.b[i];
    out.db += x.d[i] * x.b[i];
  }
  if (in.en) {
    newest_ = (newest_ + 1) % history_.size();
    history_[newest_] = in;
    std::rotate(valid_.begin(), valid_.end() - 1, valid_.end());
    valid_[0] = in.in_valid;
  }
  if (in.rst) std::fill(valid_.begin(), valid_.end(), false);
  return out;
}

}  // namespace kumiki::gen::dot
