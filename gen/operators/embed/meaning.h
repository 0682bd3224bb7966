// SPDX-License-Identifier: Apache-2.0
// A vector of numbers for each index: row i of a table, or row rows + i if i is below 0. It becomes
// the last axis of the result.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Embed {
  static constexpr std::string_view name = "embed";
  static constexpr std::string_view left_to_host = "a vector for each index";
  int size = 1;                       // of a vector
  std::vector<std::int16_t> vectors;  // of index 0, then of index 1, and so on
  friend bool operator==(const Embed&, const Embed&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.number("size", self.size);
    f.list("vectors", self.vectors);
  }

  arith::Interval indices() const;
};

void check(const Embed& op, NodeCheck& node);
Compute computer(const Embed& op, const Ends& ends);
arith::Interval reached(const Embed& op, const Ends& ends,
                        const std::vector<arith::Interval>& numbers);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Embed)
KUMIKI_SLICES_BEHIND(Embed)
KUMIKI_FROM_ONNX(Embed)
