// SPDX-License-Identifier: Apache-2.0
// How one channel's value is computed from its operands, once their formats are known.
#pragma once
#include <functional>

#include "gen/layers/vision/pixel/operation.h"
#include "gen/layers/vision/pixel/requests.h"

namespace kumiki::gen::vision {

using packing::OperandFormat;
using Formats = std::vector<OperandFormat>;
using Numbers = std::span<const std::int64_t>;
using Words = std::vector<UInt>;

struct Recipe {
  std::string formula;  // "a + b, saturated"
  OperandFormat result;
  int latency = 0;
  std::function<std::int64_t(Numbers operands)> value;
  // operands[k][i]: operand k of result i; all results at once, so that they share slices.
  std::function<Words(Scope& s, const std::vector<Words>& operands, Net enable)> make;
};

// One for each kind, for operands of these formats.
Recipe plan(const Add& r, const Formats& f);
Recipe plan(const Subtract& r, const Formats& f);
Recipe plan(const AbsDiff& r, const Formats& f);
Recipe plan(const Extreme& r, const Formats& f);
Recipe plan(const Bitwise& r, const Formats& f);
Recipe plan(const Accumulate& r, const Formats& f);
Recipe plan(const AccumulateWeighted& r, const Formats& f);
Recipe plan(const Threshold& r, const Formats& f);
Recipe plan(const Abs& r, const Formats& f);
Recipe plan(const Magnitude& r, const Formats& f);
Recipe plan_l2(const Magnitude& r, const Formats& f);  // with a square root
Recipe plan(const Scale& r, const Formats& f);

}  // namespace kumiki::gen::vision
