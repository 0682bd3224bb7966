// SPDX-License-Identifier: Apache-2.0
// Result axis i is input axis order[i]. With a view the input is seen as an array of these axes,
// and the result has any shape: channels among groups, or pixels made of channels.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Transpose {
  static constexpr std::string_view name = "transpose";
  static constexpr std::string_view left_to_host = "another order of the numbers";
  static constexpr bool hands_on = true;
  std::vector<int> order;
  std::vector<int> view = {};  // empty: the axes of the input
  friend bool operator==(const Transpose&, const Transpose&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.sizes("order", self.order);
    f.sizes("view", self.view);
  }
};

// The same order of the numbers, in one form for all views: without axes of one place, and with
// neighbours that stay together as one axis. The numbers stay in order if one axis or none is left.
Transpose simplest(const Transpose& op, const Shape& in);
Transpose inverse(const Transpose& simplest);

void check(const Transpose& op, NodeCheck& node);
Compute computer(const Transpose& op, const Ends& ends);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Transpose)
KUMIKI_SLICES_BEHIND(Transpose)
KUMIKI_ON_ENGINE(Transpose)
KUMIKI_FROM_ONNX(Transpose)
