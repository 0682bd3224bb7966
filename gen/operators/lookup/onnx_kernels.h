// SPDX-License-Identifier: Apache-2.0
// Functions in float32, equal to the last bit to onnxruntime's kernels for x86 with fused multiply
// and add: ratios of polynomials. Their coefficients are those of Eigen.
#pragma once

namespace kumiki::gen::onnx {

float kernel_logistic(float x);
float kernel_tanh(float x);

}  // namespace kumiki::gen::onnx
