// SPDX-License-Identifier: Apache-2.0
// A streamed graph has those reshapes alone that put pixels in other lines.
#include "gen/layers/pipeline/lowering.h"

namespace kumiki::gen::pipeline {

Source machines(Lowering& l, std::size_t i, const graph::Reshape&) {
  Source same = l.read(l.node(i));
  const graph::Tensor& made = l.graph().tensors[l.node(i).output];
  same.stream.height = made.shape[1];
  same.stream.width = made.shape[2];
  return same;
}

}  // namespace kumiki::gen::pipeline
