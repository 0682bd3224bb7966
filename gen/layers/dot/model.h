// SPDX-License-Identifier: Apache-2.0
// The model of a dot product by definition: a set of operands takes `cycles` enabled clocks; the
// sums of products come `latency` clocks after the last of them.
#pragma once
#include <deque>
#include <vector>

#include "gen/layers/dot/plan.h"

namespace kumiki::gen::dot {

class DotModel {
 public:
  explicit DotModel(const DotPlan& plan);
  void power_up();
  DotOut<Values> step(const DotIn<Values>& in);

 private:
  // An operand of the set whose results are due now.
  std::int64_t operand(packing::OperandRef ref, std::int64_t term) const;
  std::uint64_t sum(const packing::Result& result) const;
  void clock(const DotIn<Values>& in);

  packing::OperandFormat packed_, shared_;
  std::int64_t terms_, cycles_;
  std::vector<packing::Result> results_;
  std::size_t latency_;
  Terms place_;
  std::deque<DotIn<Values>> past_;  // the youngest first
  std::int64_t position_ = 0;       // cycle of the current set
  std::deque<bool> done_;           // [age - 1]: a set ended `age` enabled clocks ago
};

}  // namespace kumiki::gen::dot
