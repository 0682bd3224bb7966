// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/dot/model.h"

#include <algorithm>

namespace kumiki::gen::dot {

DotModel::DotModel(const DotPlan& plan)
    : packed_(plan.packing.packed),
      shared_(plan.packing.shared),
      terms_(plan.packing.terms),
      slots_(plan.packing.terms_per_cycle),
      words_(plan.packing.words),
      terms_per_round_(plan.packing.terms_per_round),
      cycles_(plan.packing.cycles()),
      results_(plan.results()),
      late_(plan.lateness()),
      latency_(plan.latency()) {
  for (auto& r : results_) r.signals.clear();  // the model only needs the shape
  power_up();
}

void DotModel::power_up() {
  history_.assign(latency_ + static_cast<std::size_t>(cycles_), {});
  newest_ = 0;
  position_ = 0;
  done_.assign(latency_, false);
}

const DotIn<Values>& DotModel::aged(std::size_t age) const {
  return history_[(newest_ + history_.size() - (age - 1)) % history_.size()];
}

std::int64_t DotModel::operand(const packing::OperandFormat& format, bool packed, std::size_t which,
                               std::int64_t term) const {
  if (format.known()) return format.values[which][static_cast<std::size_t>(term)];
  const std::int64_t round = term / terms_per_round_, in_round = term % terms_per_round_;
  const std::int64_t cycle = round * words_ + in_round / slots_;
  const auto slot = static_cast<std::size_t>(in_round % slots_);
  const auto& in = aged(latency_ + static_cast<std::size_t>(cycles_ - 1 - cycle) - late_[slot]);
  return packing::value_of((packed ? in.x : in.y)[which * static_cast<std::size_t>(slots_) + slot],
                           format.format());
}

std::uint64_t DotModel::sum(const packing::Result& result) const {
  std::int64_t total = 0;
  for (std::int64_t t = 0; t < terms_; ++t)
    total += operand(packed_, true, static_cast<std::size_t>(result.packed), t) *
             operand(shared_, false, static_cast<std::size_t>(result.shared), t);
  // The consumer adds the offset, so the result does not include it.
  total -= static_cast<std::int64_t>(result.offset);
  for (const auto& left : result.left) {
    const bool packed = left.operand.side == packing::Side::Packed;
    for (std::int64_t t = 0; t < terms_; ++t)
      total -= left.coefficient * operand(packed ? packed_ : shared_, packed,
                                          static_cast<std::size_t>(left.operand.index), t);
  }
  return packing::raw_of(total, result.bits);
}

DotOut<Values> DotModel::step(const DotIn<Values>& in) {
  DotOut<Values> out{.out_valid = done_.back(), .sum = {}};
  out.sum.assign(results_.size(), 0);
  if (out.out_valid)
    std::transform(results_.begin(), results_.end(), out.sum.begin(),
                   [&](const auto& r) { return sum(r); });
  if (in.en) clock(in);
  if (in.rst) {
    position_ = 0;
    std::fill(done_.begin(), done_.end(), false);
  }
  return out;
}

void DotModel::clock(const DotIn<Values>& in) {
  newest_ = (newest_ + 1) % history_.size();
  history_[newest_] = in;
  bool ends = false;
  if (position_ > 0 || in.in_valid) {
    ends = position_ == cycles_ - 1;
    position_ = ends ? 0 : position_ + 1;
  }
  std::rotate(done_.begin(), done_.end() - 1, done_.end());
  done_.front() = ends;
}

}  // namespace kumiki::gen::dot
