// SPDX-License-Identifier: Apache-2.0
// The mean of a window in onnxruntime's float32, for means whose last bits matter. It adds scale *
// (number - zero point) from the first row on, left to right. Then it divides by the size of the
// kernel and by the scale of the result, adds the zero point and rounds to the nearest, ties to
// even. Padding counts.
//
// Behind a function of numbers the mean is that of its values, `reals`: one for each number of the
// input, from the lowest on; or so many for each channel, one channel after the other. The quotient
// is then rounded before the zero point is added, as by QuantizeLinear, and nothing is padded.
// onnxruntime's kernels add in different orders:
//   by_rows     row by row.
//   by_columns  The rows of each column, and then these sums from left to right.
//   by_fours    Every fourth number, and then (0 + 2) + (1 + 3). The last one to three follow.
//   by_eights   Every eighth number, from the first place that is a multiple of four in the map's
//               memory on. Then the numbers in front of it and the last ones. ReduceMean does so
//               where gen/onnx/layout.h says it.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct AveragePool {
  static constexpr std::string_view name = "average_pool";
  static constexpr std::string_view left_to_host = "means that float32 rounds";
  static constexpr std::string_view no_machine =
      "its sums are rounded as float32 rounds them; import the model with --averages sums, which "
      "adds integers, or put a quantiser between a function and its mean";
  static constexpr int by_rows = 0, by_columns = 1, by_fours = 2, by_eights = 3;
  Window window;
  std::vector<float> reals = {};
  int order = by_rows;  // of the additions of reals
  friend bool operator==(const AveragePool&, const AveragePool&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    window_fields(f, self.window);
    f.number("order", self.order, by_rows);
    f.list("reals", self.reals);
  }
};

void check(const AveragePool& op, NodeCheck& node);
Compute computer(const AveragePool& op, const Ends& ends);

// The result for the float32 sum of a window of so many taps.
std::int32_t pooled(float sum, int taps, const Tensor& out);

}  // namespace kumiki::gen::graph

KUMIKI_FROM_ONNX(AveragePool)
