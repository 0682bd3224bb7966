// SPDX-License-Identifier: Apache-2.0
// A convolution or a dense layer on an array.
#pragma once
#include "gen/layers/array/lowering/node.h"

namespace kumiki::gen::array {

// A fully connected layer if the window is the whole map, which is never slower; otherwise a
// convolution, whose kernel is embedded in a square one with zeros.
NodeLayer layer_of(const graph::Conv& conv, const graph::Tensor& in, const graph::Tensor& out,
                   int data_bits, int coefficient_bits);

}  // namespace kumiki::gen::array
