// SPDX-License-Identifier: Apache-2.0
// A transposed convolution in onnxruntime's float32, for sums whose last bits matter. Each number
// of the map is spread by a kernel: place a of the kernel at place i of the map adds to place i *
// stride + a * dilation - before of the result. For every place of the kernel, the products of the
// input's channels are added by fused multiply-adds, in blocks of some channels. These sums are
// added place by place of the kernel, then comes the bias.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct ConvTranspose {
  static constexpr std::string_view name = "conv_transpose";
  static constexpr std::string_view left_to_host = "sums that float32 rounds";
  static constexpr std::string_view no_machine =
      "its sums are rounded as float32 rounds them; import the model with --averages sums, which "
      "adds integers";
  Window window;  // its padding behind the map does not count
  int groups = 1;
  std::vector<float> weights;  // [in][out of a group][rows][columns]
  std::vector<float> bias;     // [out]
  friend bool operator==(const ConvTranspose&, const ConvTranspose&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    window_fields(f, self.window);
    f.number("groups", self.groups, 1);
    f.list("weights", self.weights);
    f.list("bias", self.bias);
  }
};

void check(const ConvTranspose& op, NodeCheck& node);
Compute computer(const ConvTranspose& op, const Ends& ends);

}  // namespace kumiki::gen::graph

KUMIKI_FROM_ONNX(ConvTranspose)
