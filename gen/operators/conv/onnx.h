// SPDX-License-Identifier: Apache-2.0
// What the readers of convolutions share.
#pragma once
#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {

std::vector<std::int16_t> narrow_weights(const std::vector<std::int32_t>& numbers);
// The bias of so many outputs. It is added to the sums unscaled, so it must have their scale.
void take_bias(Call& call, std::size_t i, SumOf& sum, std::size_t outs, float input_scale);

}  // namespace kumiki::gen::onnx
