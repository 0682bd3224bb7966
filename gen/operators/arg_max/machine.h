// SPDX-License-Identifier: Apache-2.0
// The index of the largest number of a vector, the first of equal ones: a running maximum, one
// number a clock.
#pragma once
#include <string>
#include <vector>

#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

struct ArgMaxPlan {
  Stream stream;         // one pixel in one lane
  arith::Format format;  // of the index
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const { return {.format = format}; }
  Walk schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return stream.format.bits > 16 ? 4 : 3; }
  std::string kind() const { return "arg_max"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const ArgMaxPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const ArgMaxPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const ArgMaxPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
