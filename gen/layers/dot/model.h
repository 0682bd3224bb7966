// SPDX-License-Identifier: Apache-2.0
// The model of a dot product by definition: a set of operands takes `cycles` enabled clocks; the
// sums of products come `latency` clocks after the last of them.
#pragma once
#include <vector>

#include "gen/layers/dot/plan.h"

namespace kumiki::gen::dot {

class DotModel {
 public:
  explicit DotModel(const DotPlan& plan);
  void power_up();
  DotOut<Values> step(const DotIn<Values>& in);

 private:
  const DotIn<Values>& aged(std::size_t age) const;  // the inputs `age` enabled clocks ago
  // An operand of the set whose results are due now.
  std::int64_t operand(const packing::OperandFormat& format, bool packed, std::size_t which,
                       std::int64_t term) const;
  std::uint64_t sum(const packing::Result& result) const;
  void clock(const DotIn<Values>& in);

  packing::OperandFormat packed_, shared_;
  std::int64_t terms_, slots_, words_, terms_per_round_, cycles_;
  std::vector<packing::Result> results_;
  std::vector<std::uint32_t> late_;  // operand skew of every slot
  std::size_t latency_;
  std::vector<DotIn<Values>> history_;  // a ring buffer
  std::size_t newest_ = 0;
  std::int64_t position_ = 0;  // cycle of the current set
  std::vector<bool> done_;     // [age]: a set ended `age` enabled clocks ago
};

}  // namespace kumiki::gen::dot
