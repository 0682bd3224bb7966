// SPDX-License-Identifier: Apache-2.0
// In which order onnxruntime has the numbers of a map in memory, where a float32 sum depends on it:
// channel by channel, as the model has them, or pixel by pixel. Its convolutions of bytes work
// pixel by pixel, and it moves the transposes around them along functions of single numbers until
// two meet. Measured with onnxruntime 1.32 for one image at a time (tests/judge/rules.py).
#pragma once
#include <cstdint>

#include "gen/onnx/model.h"

namespace kumiki::gen::onnx {

enum class Layout : std::uint8_t { by_channel, by_pixel, unknown };

// Of the input of a mean over lines and columns: by pixel if it comes from convolutions alone, and
// its result reaches one. Unknown: other operators lie between.
Layout layout_of_mean(const Model& model, const Node& mean);

}  // namespace kumiki::gen::onnx
