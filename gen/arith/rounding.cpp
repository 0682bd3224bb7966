// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/rounding.h"

namespace kumiki::gen {

std::string to_string(Rounding rounding) {
  switch (rounding) {
    case Rounding::down:
      return "down";
    case Rounding::half_up:
      return "half up";
    case Rounding::half_away:
      return "half away from zero";
    case Rounding::half_even:
      return "half to even";
    case Rounding::to_zero:
      return "towards zero";
    case Rounding::up:
      return "up";
  }
  return "?";
}

arith::Exact rounded(arith::Exact value, int shift, Rounding rounding) {
  const arith::Exact unit = arith::power_of_two(shift);
  const arith::Exact floor = arith::floor_div(value, unit);
  const arith::Exact twice = (value - floor * unit) * 2;
  if (rounding == Rounding::down) return floor;
  if (rounding == Rounding::up) return arith::ceil_div(value, unit);
  if (rounding == Rounding::to_zero) return value / unit;
  if (twice != unit) return floor + (twice > unit ? 1 : 0);
  if (rounding == Rounding::half_up) return floor + 1;
  if (rounding == Rounding::half_away) return value < 0 ? floor : floor + 1;
  return floor + (floor & 1);
}

}  // namespace kumiki::gen
