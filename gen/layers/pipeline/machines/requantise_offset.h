// SPDX-License-Identifier: Apache-2.0
// Sums that stay sums: adds a constant to those of every channel.
#pragma once
#include <string>
#include <vector>

#include "gen/layers/pipeline/machines/island.h"

namespace kumiki::gen::pipeline {

struct OffsetPlan {
  Stream sums;
  std::vector<std::int64_t> offsets;  // [channel], within 32 bits
  arith::Format numbers;              // bits that do not fit are cut off
  Passes passes = {};
  std::vector<Stream> inputs() const { return {sums}; }
  Stream output() const { return sums.with(numbers); }
  Moving schedule() const { return Island::schedule(sums, latency(), passes.count); }
  std::int64_t slices() const { return 0; }
  int latency() const;
  int levels() const { return 3; }
  std::string kind() const { return "offset"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const OffsetPlan&) const = default;

  Stream together() const { return passes.together(sums); }
  int sum_bits() const;  // of every possible sum, but not more than those of the numbers
};

MachineOut<Hardware> build(Scope& s, const OffsetPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const OffsetPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
