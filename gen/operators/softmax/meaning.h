// SPDX-License-Identifier: Apache-2.0
// onnxruntime's QLinearSoftmax over the channels of each pixel, or over those of each group, as
// onnxruntime 1.32 computes it: an entry of a table of float32 for each number's distance from the
// largest one, and their sum in order, in float32. Each entry times a factor over the sum, in
// double precision, is rounded to the nearest, ties to even, plus the zero point. The factor is 1
// over the scale of the result, rounded down: 255 for 1/255 or 254 where float32 makes it less.
//
// With `integers` the same in integers (integers.h): machines compute that, and it differs where a
// result is very near to a tie.
#pragma once
#include <array>

#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"
#include "gen/operators/softmax/integers.h"

namespace kumiki::gen::graph {

struct Softmax {
  static constexpr std::string_view name = "softmax";
  static constexpr std::string_view left_to_host = "exponentials over their sum";
  int groups = 1;
  int integers = 0;  // 1: in integers
  friend bool operator==(const Softmax&, const Softmax&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.number("groups", self.groups, 1);
    f.number("integers", self.integers, 0);
  }
};

void check(const Softmax& op, NodeCheck& node);
Compute computer(const Softmax& op, const Ends& ends);

// Entry i is for a number that is 255 - i below the largest one of so many.
std::array<float, 256> exponentials_of(const Tensor& in, std::size_t of);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Softmax)
KUMIKI_ON_ENGINE(Softmax)
KUMIKI_SLICES_BEHIND(Softmax)
KUMIKI_FROM_ONNX(Softmax)
