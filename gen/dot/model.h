// SPDX-License-Identifier: Apache-2.0
// What a dot product does, from its definition: `latency` enabled clocks after a set of operands
// went in, the two sums come out. With external skew, term i of a set arrives i enabled clocks
// after term 0.
#pragma once
#include <vector>

#include "gen/dot/ports.h"

namespace kumiki::gen::dot {

class DotModel {
 public:
  DotModel(unsigned terms, unsigned latency, bool external_skew);
  void power_up();
  DotOut<Values> step(const DotIn<Values>& in);

 private:
  const DotIn<Values>& aged(unsigned age) const;  // what went in `age` enabled clocks ago

  unsigned terms_, latency_;
  bool external_skew_;
  std::vector<DotIn<Values>> history_;  // a ring of the last `latency_`
  std::size_t newest_ = 0;
  std::vector<bool> valid_;
};

}  // namespace kumiki::gen::dot
