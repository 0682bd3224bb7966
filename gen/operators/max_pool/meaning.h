// SPDX-License-Identifier: Apache-2.0
// The maximum of a window; padding is smaller than everything.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct MaxPool {
  static constexpr std::string_view name = "max_pool";
  static constexpr bool hands_on = true;
  Window window;
  friend bool operator==(const MaxPool&, const MaxPool&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    window_fields(f, self.window);
  }
};

void check(const MaxPool& op, NodeCheck& node);
Compute computer(const MaxPool& op, const Ends& ends);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(MaxPool)
KUMIKI_SLICES_BEHIND(MaxPool)
KUMIKI_ON_ARRAY(MaxPool)
KUMIKI_ON_ENGINE(MaxPool)
KUMIKI_FROM_ONNX(MaxPool)
