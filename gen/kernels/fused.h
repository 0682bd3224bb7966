// SPDX-License-Identifier: Apache-2.0
// Sums of products in float32 as onnxruntime's matrix product adds them.
#pragma once
#include <cstddef>
#include <vector>

namespace kumiki::gen::kernels {

struct FusedSum {
  const float* weights = nullptr;  // of the first channel
  std::size_t step = 1;            // to the weight of the next channel
  std::size_t channels = 0;
  std::size_t block = 1;  // the channels that are added by fused multiply-adds, from 0 on
};
// sums[i]: of weight * x over the channels; `x` is [channels][as many numbers as there are sums].
void fused_sums(const FusedSum& sum, const float* x, std::vector<float>& sums);
void plain_fused_sums(const FusedSum& sum, const float* x, std::vector<float>& sums);

}  // namespace kumiki::gen::kernels
