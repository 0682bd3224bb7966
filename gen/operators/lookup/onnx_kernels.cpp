// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/lookup/onnx_kernels.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace kumiki::gen::onnx {
namespace {

// Begins at the highest power; each step rounds once.
float polynomial(std::span<const float> coefficients, float x) {
  float sum = coefficients[0];
  for (const float c : coefficients.subspan(1)) sum = std::fma(sum, x, c);
  return sum;
}

}  // namespace

float kernel_logistic(float x) {
  constexpr float above[] = {4.37031012579801e-11F, 1.15627324459942e-07F, 6.08574864600143e-05F,
                             8.51377133304701e-03F, 2.48287947061529e-01F};
  constexpr float below[] = {6.10247389755681e-13F, 5.76102136993427e-09F, 6.29106785017040e-06F,
                             1.70198817374094e-03F, 1.16817656904453e-01F, 9.93151921023180e-01F};
  x = std::clamp(x, -18.0F, 18.0F);
  const float square = x * x;
  const float ratio = x * polynomial(above, square) / polynomial(below, square);
  return std::max(0.0F, ratio + 0.5F);
}

float kernel_tanh(float x) {
  constexpr float above[] = {-2.76076847742355e-16F, 2.00018790482477e-13F, -8.60467152213735e-11F,
                             5.12229709037114e-08F,  1.48572235717979e-05F, 6.37261928875436e-04F,
                             4.89352455891786e-03F};
  constexpr float below[] = {1.19825839466702e-06F, 1.18534705686654e-04F, 2.26843463243900e-03F,
                             4.89352518554385e-03F};
  x = std::clamp(x, -9.0F, 9.0F);
  const float square = x * x;
  return x * polynomial(above, square) / polynomial(below, square);
}

}  // namespace kumiki::gen::onnx
