// SPDX-License-Identifier: Apache-2.0
// Numbers that are the same for every image: a position embedding, a class token. They are a tensor
// as any other, and nodes read it as any other.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Constant {
  static constexpr std::string_view name = "constant";
  static constexpr std::string_view left_to_host = "the same numbers for every image";
  static constexpr std::size_t inputs = 0;
  std::vector<std::int16_t> values = {};
  friend bool operator==(const Constant&, const Constant&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.list("values", self.values);
  }
};

void check(const Constant& op, NodeCheck& node);
Compute computer(const Constant& op, const Ends& ends);
arith::Interval reached(const Constant& op, const Ends& ends,
                        const std::vector<arith::Interval>& numbers);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Constant)
KUMIKI_ON_ENGINE(Constant)
KUMIKI_FROM_ONNX(Constant)
