// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/dot/model.h"

#include <algorithm>

namespace kumiki::gen::dot {

DotModel::DotModel(const DotPlan& plan)
    : packed_(plan.packing.packed),
      shared_(plan.packing.shared),
      terms_(plan.packing.terms),
      cycles_(plan.packing.cycles()),
      results_(plan.results()),
      latency_(plan.latency()),
      place_(plan) {
  for (auto& r : results_) r.signals.clear();  // the model only needs the shape
  power_up();
}

void DotModel::power_up() {
  past_.assign(latency_ + static_cast<std::size_t>(cycles_), {});
  position_ = 0;
  done_.assign(latency_, false);
}

std::int64_t DotModel::operand(packing::OperandRef ref, std::int64_t term) const {
  const bool packed = ref.side == packing::Side::Packed;
  const packing::OperandFormat& format = packed ? packed_ : shared_;
  if (format.known()) return format.values[ref.index][term];
  const DotIn<Values>& in = past_[place_.age(term) - 1];
  return packing::value_of((packed ? in.x : in.y)[place_.element(ref.index, term)],
                           format.format());
}

std::uint64_t DotModel::sum(const packing::Result& result) const {
  using packing::Side;
  // The consumer adds the offset, so the result does not include it.
  auto total = -static_cast<std::int64_t>(result.offset);
  for (std::int64_t t = 0; t < terms_; ++t) {
    total += operand({Side::Packed, result.packed}, t) * operand({Side::Shared, result.shared}, t);
    for (const auto& left : result.left) total -= left.coefficient * operand(left.operand, t);
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
  past_.push_front(in);
  past_.pop_back();
  bool ends = false;
  if (position_ > 0 || in.in_valid) {
    ends = position_ == cycles_ - 1;
    position_ = ends ? 0 : position_ + 1;
  }
  done_.push_front(ends);
  done_.pop_back();
}

}  // namespace kumiki::gen::dot
