// SPDX-License-Identifier: Apache-2.0
// The mean of every channel: the sum with zero points subtracted, requantised with the scale input
// / (result * pixels) in float32.
#pragma once
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct GlobalAverage {
  static constexpr std::string_view name = "global_average";
  friend bool operator==(const GlobalAverage&, const GlobalAverage&) = default;
};

void check(const GlobalAverage& op, NodeCheck& node);
Compute computer(const GlobalAverage& op, const Ends& ends);
std::vector<arith::FloatRule> rules(const GlobalAverage& op, const Ends& ends);
std::vector<arith::Interval> reachable_sums(const GlobalAverage& op, const Ends& ends,
                                            const arith::Interval& number);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(GlobalAverage)
KUMIKI_SLICES_BEHIND(GlobalAverage)
KUMIKI_ON_ARRAY(GlobalAverage)
KUMIKI_ON_ENGINE(GlobalAverage)
KUMIKI_FROM_ONNX(GlobalAverage)
