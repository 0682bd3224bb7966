// SPDX-License-Identifier: Apache-2.0
// The mean of a window in onnxruntime's float32, for means whose last bits matter. It adds scale *
// (number - zero point) from the first row on, left to right. Then it divides by the size of the
// kernel and by the scale of the result, adds the zero point and rounds to the nearest, ties to
// even. Padding counts.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"

namespace kumiki::gen::graph {

struct AveragePool {
  static constexpr std::string_view name = "average_pool";
  static constexpr std::string_view left_to_host = "means that float32 rounds";
  static constexpr std::string_view no_machine =
      "its sums are rounded as float32 rounds them; import the model with --averages sums, which "
      "adds integers";
  Window window;
  friend bool operator==(const AveragePool&, const AveragePool&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    window_fields(f, self.window);
  }
};

void check(const AveragePool& op, NodeCheck& node);
Compute computer(const AveragePool& op, const Ends& ends);

// The result for the float32 sum of a window of so many taps.
std::int32_t pooled(float sum, int taps, const Tensor& out);

}  // namespace kumiki::gen::graph

namespace kumiki::gen::onnx {

struct Row;
std::vector<Row> forms(std::type_identity<graph::AveragePool>);

}  // namespace kumiki::gen::onnx
