// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/softmax.h"

#include <algorithm>
#include <cmath>

namespace kumiki::gen::graph {
namespace {

// Of numbers up to 0: a normal power of two, or 0, times a polynomial of what is left.
float exponential(float x) {
  constexpr float lowest = -88.3762626647949F, per_log = 1.44269504088896341F,
                  log_high = -6.93145752e-1F, log_low = -1.42860677e-6F;
  constexpr float coefficients[] = {
      0x1.694000p-10F, 0x1.125edcp-7F, 0x1.555b5ap-5F, 0x1.555450p-3F, 0x1.fffff6p-2F, 1, 1};
  constexpr float rounds = 0x1.8p23F;  // what is added to it becomes an integer
  x = std::max(lowest, x);
  const float power = std::fma(x, per_log, rounds) - rounds;
  x = std::fma(power, log_high, x);
  x = std::fma(power, log_low, x);
  float sum = 0;
  for (const float c : coefficients) sum = std::fma(sum, x, c);
  return power < -126 ? 0 : sum * std::ldexp(1.0F, static_cast<int>(power));
}

}  // namespace

void softmax(std::span<float> numbers) {
  const float most = *std::ranges::max_element(numbers);
  float lanes[8] = {};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = exponential(numbers[i] - most);
    lanes[i % 8] += numbers[i];
  }
  const float low = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]),
              high = (lanes[4] + lanes[5]) + (lanes[6] + lanes[7]);
  const float factor = 1 / (high + low);
  for (float& n : numbers) n *= factor;
}

}  // namespace kumiki::gen::graph
