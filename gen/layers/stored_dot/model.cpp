// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/stored_dot/model.h"

#include <algorithm>

namespace kumiki::gen::stored_dot {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

StoredModel::StoredModel(const StoredPlan& plan) : plan_(plan) { power_up(); }

void StoredModel::power_up() {
  const auto n = at(plan_.slices());
  weights_.assign(n, 0);
  load_.clear();
  pause_ = std::max(0, plan_.store.wait() - 1);
  const std::vector<std::int64_t> zeros(n, 0);
  past_.assign(at(plan_.latency()), {false, weights_, zeros, plan_.preadder() ? zeros : weights_});
}

// The factor beside the weight in the slice of this operand, for the set whose results are due now.
std::int64_t StoredModel::data(int operand, int result) const {
  const int late = plan_.store.skew(operand % plan_.request.terms);
  const Past& then = past_[at(plan_.latency() - 1 - late)];
  if (plan_.request.operation == Operation::pair)
    return result == 0 ? then.x[at(operand)] : then.d[at(operand)];
  return then.x[at(operand)] + (plan_.preadder() ? then.d[at(operand)] : 0);
}

StoredOut<Values> StoredModel::step(const StoredIn<Values>& in) {
  const bool full = load_.size() == at(plan_.store.load_cycles);
  const bool swap = full && in.swap;
  const bool ready = plan_.store.wait() == 0 ? !full || swap : !full && pause_ == 0;
  StoredOut<Values> out{
      .weight_ready = ready, .full = full, .out_valid = past_.back().valid, .p = {}};
  const int n = plan_.request.terms;
  for (int chain = 0; chain < plan_.request.chains; ++chain)
    for (int result = 0; result < plan_.results(); ++result) {
      std::int64_t sum = 0;
      for (int i = chain * n; i < (chain + 1) * n; ++i)
        sum += data(i, result) * past_.back().weights[at(i)];
      out.p.push_back(sum);
    }
  if (in.en) advance(in, swap, ready);
  if (in.rst) {
    for (Past& set : past_) set.valid = false;
    load_.clear();
    pause_ = std::max(0, plan_.store.wait() - 1);
  }
  return out;
}

void StoredModel::advance(const StoredIn<Values>& in, bool swap, bool ready) {
  if (pause_ > 0) --pause_;
  if (swap) {
    take_load();
    load_.clear();
    pause_ = std::max(0, plan_.store.wait() - 1);
  }
  if (ready && in.weight_valid) load_.push_back(in.weights);
  past_.push_front({in.in_valid, weights_, in.x, in.d});
  past_.pop_back();
}

void StoredModel::take_load() {
  const auto& r = plan_.store.request;
  const bool shifts = r.kind == packing::StoreKind::ShiftChain;
  for (int w = 0; w < plan_.slices(); ++w) {
    const int slice = w % r.slices;
    const int place = shifts ? plan_.store.place_in_column(slice) : slice;
    const int column =
        w / r.slices * plan_.columns() + (shifts ? slice / r.limits.column_height : 0);
    for (std::size_t k = 0; k < load_.size(); ++k)
      if (plan_.store.order[k] == place) weights_[at(w)] = load_[k][at(column)];
  }
}

}  // namespace kumiki::gen::stored_dot
