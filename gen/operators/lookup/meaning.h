// SPDX-License-Identifier: Apache-2.0
// Any function of one number: values[q - lowest q]. Or one for each channel, one after the other.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Lookup {
  static constexpr std::string_view name = "lookup";
  static constexpr std::string_view left_to_host = "a table of numbers";
  std::vector<std::int16_t> values;
  friend bool operator==(const Lookup&, const Lookup&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.list("values", self.values);
  }
};

// Whether all channels of a tensor have one table.
inline bool is_for_all(const Lookup& op, const Tensor& in) {
  return op.values.size() == std::size_t{1} << in.format.bits;
}

void check(const Lookup& op, NodeCheck& node);
Compute computer(const Lookup& op, const Ends& ends);
arith::Interval reached(const Lookup& op, const Ends& ends,
                        const std::vector<arith::Interval>& numbers);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Lookup)
KUMIKI_ON_ENGINE(Lookup)
KUMIKI_FROM_ONNX(Lookup)
