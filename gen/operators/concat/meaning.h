// SPDX-License-Identifier: Apache-2.0
// The inputs after each other along an axis, that of the channels or another one; all have the
// format and scale of the result.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Concat {
  static constexpr std::string_view name = "concat";
  static constexpr std::string_view left_to_host = "maps are joined";
  static constexpr bool hands_on = true;
  static constexpr std::size_t inputs = one_or_more;
  int axis = 0;  // of the tensors
  friend bool operator==(const Concat&, const Concat&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.number("axis", self.axis, 0);
  }
};

void check(const Concat& op, NodeCheck& node);
Compute computer(const Concat& op, const Ends& ends);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Concat)
KUMIKI_SLICES_BEHIND(Concat)
KUMIKI_ON_ENGINE(Concat)
KUMIKI_FROM_ONNX(Concat)
