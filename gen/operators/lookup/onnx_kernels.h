// SPDX-License-Identifier: Apache-2.0
// Functions in float32, equal to the last bit to onnxruntime's kernels for x86 with fused multiply
// and add: polynomials and their ratios. The coefficients are those of Eigen and MLAS.
#pragma once

namespace kumiki::gen::onnx {

float kernel_logistic(float x);
float kernel_tanh(float x);
float kernel_exp(float x);
float kernel_erf(float x);

}  // namespace kumiki::gen::onnx
