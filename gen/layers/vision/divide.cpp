// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/divide.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "gen/layers/vision/messages.h"
#include "ir/error.h"

namespace kumiki::gen::vision {

std::int64_t divided(std::int64_t x, std::int64_t divisor, Rounding rounding) {
  const auto floor = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(arith::floor_div(a, b));
  };
  if (rounding == Rounding::down) return floor(x, divisor);
  const std::int64_t up = floor(2 * x + divisor, 2 * divisor);
  const bool half = 2 * x + divisor == 2 * divisor * up;
  return rounding == Rounding::half_even && half && up % 2 != 0 ? up - 1 : up;
}

std::int64_t scaled(std::int64_t x, const Scale& scale) {
  return divided(scale.multiplier * x + scale.addend, std::int64_t{1} << scale.shift,
                 scale.rounding) +
         scale.offset;
}

Scale division(std::int64_t divisor, Rounding rounding, const packing::OperandFormat& format) {
  // A power of two: the division is a shift.
  if ((divisor & (divisor - 1)) == 0)
    return {.shift = std::countr_zero(static_cast<std::uint64_t>(divisor)), .rounding = rounding};
  const auto all = format.interval();
  const auto low = static_cast<std::int64_t>(all.lo), high = static_cast<std::int64_t>(all.hi);
  if (high - low > std::int64_t{1} << 24)
    throw DesignError(code::cannot_divide,
                      fmt::format("{} has too many values to be divided by {}; powers of two "
                                  "divide any number of them",
                                  packing::to_string(format), divisor));
  // Tries the multipliers just above and just below 2^shift / divisor. For negative multiples of
  // the divisor the upper one gives too little, most of all at the lowest value; the addend
  // corrects it.
  for (int shift = 0; shift <= 30; ++shift) {
    const std::int64_t power = std::int64_t{1} << shift;
    const std::int64_t below = power / divisor, above = below + 1;
    const std::int64_t lost = (-low * (above * divisor - power) + divisor - 1) / divisor;
    for (const auto& [m, addend] : {std::pair{below, std::int64_t{0}},
                                    {above, std::int64_t{0}},
                                    {above, std::max(lost, std::int64_t{0})}}) {
      if (m == 0) continue;
      const Scale scale{.multiplier = m, .addend = addend, .shift = shift, .rounding = rounding};
      bool exact = true;
      // Errors are likeliest at the ends of the range.
      for (std::int64_t x : {low, high, low + 1, high - 1})
        exact = exact && scaled(x, scale) == divided(x, divisor, rounding);
      for (std::int64_t x = low; exact && x <= high; ++x)
        exact = scaled(x, scale) == divided(x, divisor, rounding);
      if (exact) return scale;
    }
  }
  throw DesignError(code::cannot_divide,
                    fmt::format("no multiplication and shift divides all of {} by {}",
                                packing::to_string(format), divisor));
}

}  // namespace kumiki::gen::vision
