// SPDX-License-Identifier: Apache-2.0
// Thresholds behind a convolution on an array.
#pragma once
#include <cstddef>

namespace kumiki::gen::array {

class Lowerer;

// Makes a layer of a Conv and the Thresholds node that is its only reader, possibly behind nodes
// that do nothing. The thresholds become a scale, a factor of the weights and an addend of the bias
// for each channel (arith::stepped_rule); this is exact, or it is not done. Channels that fall
// negate their weights. False: there is no such layer.
bool with_steps(Lowerer& lowerer, std::size_t conv);

}  // namespace kumiki::gen::array
