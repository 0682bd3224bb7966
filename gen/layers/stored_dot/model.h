// SPDX-License-Identifier: Apache-2.0
// The model of stored_dot, from its definition: every set of operands is multiplied by the weights
// that were in use when its first term arrived. A load is a list of words; a swap makes a complete
// load the weights in use.
#pragma once
#include <deque>
#include <vector>

#include "gen/layers/stored_dot/plan.h"

namespace kumiki::gen::stored_dot {

class StoredModel {
 public:
  explicit StoredModel(const StoredPlan& plan);
  void power_up();
  StoredOut<Values> step(const StoredIn<Values>& in);

 private:
  struct Past {
    bool valid = false;
    std::vector<std::int64_t> weights;  // for the set whose first term came in this cycle
    std::vector<std::int64_t> x, d;     // inputs of the slices in this cycle
  };
  std::int64_t data(int operand, int result) const;
  void advance(const StoredIn<Values>& in, bool swap, bool ready);
  void take_load();

  StoredPlan plan_;
  std::vector<std::int64_t> weights_;
  std::vector<std::vector<std::int64_t>> load_;
  int pause_ = 0;
  std::deque<Past> past_;  // youngest first
};

}  // namespace kumiki::gen::stored_dot
