// SPDX-License-Identifier: Apache-2.0
// Functions as onnxruntime's kernels for x86 with fused multiply and add compute them in float32:
// ratios of polynomials, to the last bit. Their coefficients are those of Eigen.
#pragma once

namespace kumiki::gen::onnx {

float kernel_logistic(float x);
float kernel_tanh(float x);

}  // namespace kumiki::gen::onnx
