// SPDX-License-Identifier: Apache-2.0
// Numbers of the input that are picked axis by axis, and one constant number: a part of a tensor,
// its numbers in another order or several times, or numbers around it.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Pick {
  static constexpr std::string_view name = "pick";
  static constexpr std::string_view left_to_host = "some of the numbers, or numbers around them";
  static constexpr bool hands_on = true;
  std::vector<int> view = {};  // the axes of the input as they are seen; empty: its own. With a
                               // view the result has any shape.
  int fill = 0;                // the constant number
  // Four numbers each: an axis, the first place, the step to the next one, how many. An axis
  // without runs is taken whole. The place -1 is the constant, with the step 0.
  std::vector<std::int32_t> runs = {};
  friend bool operator==(const Pick&, const Pick&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.sizes("view", self.view);
    f.number("fill", self.fill, 0);
    f.list("runs", self.runs);
  }

  void add_runs(int axis, const std::vector<std::int64_t>& places);
  bool fills() const;
};
// The places that are picked from each axis of the view.
std::vector<std::vector<int>> places_of(const Pick& op, const Tensor& in);

void check(const Pick& op, NodeCheck& node);
Compute computer(const Pick& op, const Ends& ends);
arith::Interval reached(const Pick& op, const Ends& ends,
                        const std::vector<arith::Interval>& numbers);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Pick)
KUMIKI_SLICES_BEHIND(Pick)
KUMIKI_ON_ENGINE(Pick)
KUMIKI_FROM_ONNX(Pick)
