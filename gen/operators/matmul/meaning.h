// SPDX-License-Identifier: Apache-2.0
// The product of two results, as attention has it: a 1x1 convolution of the first map whose weights
// are the numbers of the second one. Both maps have one part of their channels for each group, or
// head. The numbers less their zero points are multiplied and added, and the sums are requantised
// by onnxruntime's rule.
//
// The terms of a sum are the channels of a group of the first map. Of the second map they are the
// channels too, and each of its pixels is an output channel; or, with `by_pixels`, they are its
// pixels, and each of its channels is an output channel.
//
// An engine has the scores of a head in lines, so that the head begins with a block of channels.
// Then the result has a line for each group, or the first map has, and each group has a part of the
// second map's pixels.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct MatMul {
  static constexpr std::string_view name = "matmul";
  static constexpr std::string_view left_to_host = "two results are multiplied";
  static constexpr std::size_t inputs = 2;
  int groups = 1;
  int by_pixels = 0;  // 1: the terms are the pixels of the second map
  int lines = 0;      // 1: the result has a line for each group; 2: the first map has
  friend bool operator==(const MatMul&, const MatMul&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.number("groups", self.groups, 1);
    f.number("by_pixels", self.by_pixels, 0);
    f.number("lines", self.lines, 0);
  }
};

void check(const MatMul& op, NodeCheck& node);
Compute computer(const MatMul& op, const Ends& ends);
std::vector<arith::FloatRule> rules(const MatMul& op, const Ends& ends);
std::vector<arith::Interval> reachable_sums(const MatMul& op, const Ends& ends,
                                            const arith::Interval& number);

// Of one group.
struct MatMulSizes {
  std::int64_t pixels, terms, outputs;
};
MatMulSizes sizes_of(const MatMul& op, const Ends& ends);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(MatMul)
KUMIKI_SLICES_BEHIND(MatMul)
KUMIKI_ON_ENGINE(MatMul)
KUMIKI_FROM_ONNX(MatMul)
