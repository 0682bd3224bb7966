// SPDX-License-Identifier: Apache-2.0
// Softmax in float32, bit for bit as onnxruntime on processors with AVX2.
#pragma once
#include <span>

namespace kumiki::gen::graph {

void softmax(std::span<float> numbers);  // at least one

}  // namespace kumiki::gen::graph
