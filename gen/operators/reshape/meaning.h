// SPDX-License-Identifier: Apache-2.0
// The same numbers in the same order with another shape.
#pragma once
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Reshape {
  static constexpr std::string_view name = "reshape";
  static constexpr bool hands_on = true;
  static constexpr bool is_free = true;
  friend bool operator==(const Reshape&, const Reshape&) = default;
};

void check(const Reshape& op, NodeCheck& node);
Compute computer(const Reshape& op, const Ends& ends);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Reshape)
KUMIKI_ON_ENGINE(Reshape)
KUMIKI_FROM_ONNX(Reshape)
