// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/model.h"

#include <algorithm>

#include "gen/arith/format.h"

namespace kumiki::gen::requant {

using Wide = arith::Exact;

std::int64_t divide(Wide numerator, int shift, Rounding rounding) {
  const Wide unit = Wide{1} << shift;
  const bool negative = numerator < 0;
  const Wide magnitude = negative ? -numerator : numerator;
  Wide whole = magnitude / unit;
  const Wide twice = 2 * (magnitude % unit);
  bool away = twice > unit;  // from zero
  if (twice == unit) {
    if (rounding == Rounding::half_away) away = true;
    if (rounding == Rounding::half_even) away = whole % 2 == 1;
    if (rounding == Rounding::half_up) away = !negative;
  }
  if (rounding == Rounding::down) away = negative && twice != 0;
  if (rounding == Rounding::up) away = !negative && twice != 0;
  if (rounding == Rounding::to_zero) away = false;
  if (away) ++whole;
  return static_cast<std::int64_t>(negative ? -whole : whole);
}

RequantModel::RequantModel(const Plan& plan)
    : request_(plan.request),
      scale_(plan.scale ? plan.scale->scale : 0),
      low_(static_cast<std::int64_t>(plan.slice.request.clamp.lo)),
      high_(static_cast<std::int64_t>(plan.slice.request.clamp.hi)),
      shift_(plan.slice.request.shift),
      under_way_(plan.slice.latency) {}

std::uint64_t RequantModel::result(const RequantIn<Values>& in) const {
  const std::int64_t bias = in.bias.empty() ? 0 : in.bias[0];
  const std::int64_t scale = in.scale.empty() ? scale_ : in.scale[0];
  const std::int64_t zero = in.zero_point.empty() ? request_.zero_point : in.zero_point[0];
  const Wide exact = (Wide{in.acc} + bias) * scale;
  const std::int64_t q = std::clamp(divide(exact, shift_, request_.rounding) + zero, low_, high_);
  return arith::raw_of(q, request_.result_bits);
}

}  // namespace kumiki::gen::requant
