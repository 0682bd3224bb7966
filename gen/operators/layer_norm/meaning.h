// SPDX-License-Identifier: Apache-2.0
// LayerNormalization over the channels of each pixel, between quantisers, in float32 as
// onnxruntime 1.32 computes it on processors with AVX2: the mean is rounded once; squares of
// differences are added in eight lanes, every eighth number in one, by fused multiplications, and
// the halves of the lanes are added to each other. A difference is multiplied by 1 over the root of
// their mean and epsilon, then by its factor, fused with its bias.
//
// With `integers` the same in integers (integers.h): machines compute that, and it differs where a
// result is very near to a tie.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/layer_norm/integers.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct LayerNorm {
  static constexpr std::string_view name = "layer_norm";
  static constexpr std::string_view left_to_host = "float32 differences from a mean";
  // The order in which fewer numbers are added depends on how onnxruntime was compiled.
  static constexpr int lanes = 8;
  float epsilon = 1e-5F;
  std::vector<float> factors = {}, biases = {};  // one for each channel; no biases: 0
  int averages = 0;  // 1: the result is the mean of all pixels, added one after the other
  int integers = 0;  // 1: in integers
  friend bool operator==(const LayerNorm&, const LayerNorm&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.real("epsilon", self.epsilon);
    f.number("averages", self.averages, 0);
    f.number("integers", self.integers, 0);
    f.list("factors", self.factors);
    f.list("biases", self.biases);
  }
};

void check(const LayerNorm& op, NodeCheck& node);
Compute computer(const LayerNorm& op, const Ends& ends);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(LayerNorm)
KUMIKI_ON_ENGINE(LayerNorm)
KUMIKI_SLICES_BEHIND(LayerNorm)
KUMIKI_FROM_ONNX(LayerNorm)
