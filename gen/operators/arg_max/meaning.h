// SPDX-License-Identifier: Apache-2.0
// The index of the largest number of a vector, the first of equal ones.
#pragma once
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct ArgMax {
  static constexpr std::string_view name = "arg_max";
  static constexpr std::string_view left_to_host = "the index of the largest number";
  friend bool operator==(const ArgMax&, const ArgMax&) = default;
};

void check(const ArgMax& op, NodeCheck& node);
Compute computer(const ArgMax& op, const Ends& ends);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(ArgMax)
KUMIKI_SLICES_BEHIND(ArgMax)
KUMIKI_FROM_ONNX(ArgMax)
