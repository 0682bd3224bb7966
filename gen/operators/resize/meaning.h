// SPDX-License-Identifier: Apache-2.0
// A larger map: every number fills a block of factor[0] rows and factor[1] columns (nearest
// neighbour by whole factors).
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Resize {
  static constexpr std::string_view name = "resize";
  static constexpr std::string_view left_to_host = "every number of a map several times";
  static constexpr bool hands_on = true;
  static constexpr int largest_factor = 1024;
  std::array<int, 2> factor{1, 1};
  friend bool operator==(const Resize&, const Resize&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.pair("factor", self.factor, std::array{1, 1});
  }
};

void check(const Resize& op, NodeCheck& node);
Compute computer(const Resize& op, const Ends& ends);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Resize)
KUMIKI_SLICES_BEHIND(Resize)
KUMIKI_ON_ENGINE(Resize)
KUMIKI_FROM_ONNX(Resize)
