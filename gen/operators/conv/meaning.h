// SPDX-License-Identifier: Apache-2.0
// Sums of products with both zero points subtracted, plus the bias, requantised by FloatRule.
// Padding is the zero point of the input, so it adds nothing. A dense layer is a 1 x 1 kernel on a
// 1 x 1 map. Sums wrap around in 32 bits, as in onnxruntime, whose quantiser makes biases near 2^31
// for channels of small weights. An engine has that, pipelines and arrays do not.
#pragma once
#include <string>

#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Conv {
  static constexpr std::string_view name = "conv";
  Window window;
  int groups = 1;
  // [out][in / groups][row][column], with zero points subtracted.
  std::vector<std::int16_t> weights;
  std::vector<std::int32_t> bias;  // [out]
  std::vector<float> scales;       // [out], or one for all: arith::product_scale
  friend bool operator==(const Conv&, const Conv&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    window_fields(f, self.window);
    f.number("groups", self.groups, 1);
    f.list("scales", self.scales);
    f.list("bias", self.bias);
    f.list("weights", self.weights);
  }
};

void check(const Conv& op, NodeCheck& node);
Compute computer(const Conv& op, const Ends& ends);
// The same without vector instructions, and without VNNI.
Compute plain_computer(const Conv& op, const Ends& ends);
Compute avx2_computer(const Conv& op, const Ends& ends);
std::vector<arith::FloatRule> rules(const Conv& op, const Ends& ends);
// The range of a channel's sum of products, without bias and before it wraps; `number`: the range
// of what is multiplied.
arith::Interval products_of(const Conv& conv, std::size_t channel, const arith::Interval& number);
// Of a channel that can wrap, all numbers of 32 bits.
std::vector<arith::Interval> reachable_sums(const Conv& op, const Ends& ends,
                                            const arith::Interval& number);
// The same for any number in the input's format, without padding.
std::vector<arith::Interval> reachable_of(const Conv& conv, const Tensor& in);
// The sums of each channel: of one that can wrap two ranges, or all numbers of 32 bits.
std::vector<std::vector<arith::Interval>> wrapped_sums(const Conv& conv, const Tensor& in);
// Why a machine without it refuses the node; empty: no channel can wrap.
std::string why_wraps(const Conv& conv, const Tensor& in);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Conv)
KUMIKI_SLICES_BEHIND(Conv)
KUMIKI_ON_ARRAY(Conv)
KUMIKI_ON_ENGINE(Conv)
KUMIKI_FROM_ONNX(Conv)
