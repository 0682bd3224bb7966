// SPDX-License-Identifier: Apache-2.0
// Arithmetic with constants, as exporters write it to compute shapes: the result of a node whose
// inputs are all constants is a constant. It broadcasts as numpy does; integers wrap around in
// their type, as in onnxruntime.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "gen/onnx/model.h"

namespace kumiki::gen::onnx {

struct Call;

// Operators that only make sense of constants here.
const std::vector<std::string_view>& folded_operators();
// Empty: the operator is another one, or an input is no constant.
std::optional<Array> folded(Call& call);
// For each number of the shape `to` the place in constants of the shape `of`, which are broadcast.
std::vector<std::size_t> places(const Dims& of, const Dims& to);
// A function of two constants; Add, Sub, Mul or Div.
Array folded(std::string_view op, const Array& a, const Array& b);

}  // namespace kumiki::gen::onnx
