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

namespace {

// x = power * ln 2 + rest
struct Reduced {
  float power, rest;
};
Reduced reduced(float x) {
  constexpr float to_integer = 12582912.0F;  // 1.5 * 2^23: the last bit of a sum is 1
  const float power = std::fma(x, 1.44269504088896341F, to_integer) - to_integer;
  const float rest = std::fma(power, -6.93145752e-1F, x);
  return {power, std::fma(power, -1.42860677e-6F, rest)};
}

}  // namespace

float kernel_exp(float x) {
  constexpr float powers[] = {
      0x1.694000p-10F, 0x1.125edcp-7F, 0x1.555b5ap-5F, 0x1.555450p-3F, 0x1.fffff6p-2F, 1, 1};
  const auto [power, rest] = reduced(std::clamp(x, -103.9720840454F, 88.7762626647950F));
  return std::ldexp(polynomial(powers, rest), static_cast<int>(power));
}

float kernel_erf(float x) {
  constexpr float near[] = {-5.99104969e-4F, 4.99339588e-3F,  -2.67667342e-2F,
                            1.12818025e-1F,  -3.76124859e-1F, 1.28379151e-1F};
  constexpr float far[] = {1.72948930e-5F, -3.83208680e-4F, 3.88393435e-3F, -2.42545605e-2F,
                           1.06777847e-1F, 6.34846687e-1F,  1.28717512e-1F};
  constexpr float powers[] = {
      1.38319808e-3F, 8.37550033e-3F, 4.16689515e-2F, 1.66664466e-1F, 4.99999851e-1F, 1, 1};
  const float size = std::min(std::abs(x), 3.925F);
  if (size <= 0.921875F) {
    const float little = polynomial(near, size * size);
    return std::copysign(std::fma(little, size, size), x);
  }
  const auto [power, rest] = reduced(-std::fma(polynomial(far, size), size, size));
  const float missing = std::ldexp(polynomial(powers, rest), static_cast<int>(power));
  return std::copysign(1 - missing, x);
}

}  // namespace kumiki::gen::onnx
