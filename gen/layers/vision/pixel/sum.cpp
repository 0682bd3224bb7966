// SPDX-License-Identifier: Apache-2.0
// Sums and differences, exact, wrapped or saturated.
#include <fmt/format.h>

#include "gen/layers/vision/pixel/chain.h"
#include "gen/layers/vision/pixel/fit.h"

namespace kumiki::gen::vision {
namespace {

// Modulo 2^bits, a result is the sum of its operands.
Words sums_in_luts(Scope& s, const Formats& f, const std::vector<Words>& in, int bits,
                   bool subtracts, Net enable) {
  Words out;
  for (std::size_t i = 0; i < in[0].size(); ++i) {
    const UInt a = resized(s, in[0][i], f[0], bits), b = resized(s, in[1][i], f[1], bits);
    out.push_back(sum_chained(s, a, b, subtracts, enable));
  }
  return out;
}

Words sums_in_slices(Scope& s, const Formats& f, const std::vector<Words>& in,
                     const OperandFormat& result, bool subtracts, Net enable) {
  const OperandFormat both = common(f[0], f[1]);
  const Words a = resized(s, in[0], f[0], both.bits), b = resized(s, in[1], f[1], both.bits);
  const simd::Options o = slice_options(both, 1, enable);
  const Words sums = subtracts ? simd::subtract(s, o, a, b).values : simd::add(s, o, a, b);
  return resized(s, sums, {.is_signed = true}, result.bits);
}

Recipe plan_sum(const Formats& f, const Fit& fit, const OperandFormat& target, bool subtracts,
                bool slices) {
  const Interval a = f[0].interval(), b = f[1].interval();
  const Fitting fitting(subtracts ? a - b : a + b, fit, target);
  Recipe r;
  r.formula = fmt::format("a {} b{}", subtracts ? '-' : '+', fitting.words());
  r.result = fitting.to;
  // Bits that are cut off are not computed.
  const OperandFormat made =
      fitting.saturates || fitting.from.bits <= fitting.to.bits ? fitting.from : fitting.to;
  r.latency =
      (slices ? static_cast<int>(simd::latency) : chain_clocks(made.bits)) + fitting.clocks();
  r.value = [=](Numbers v) { return fitting.value(subtracts ? v[0] - v[1] : v[0] + v[1]); };
  r.make = [=](Scope& s, const std::vector<Words>& in, Net enable) {
    const Words sums = slices ? sums_in_slices(s, f, in, made, subtracts, enable)
                              : sums_in_luts(s, f, in, made.bits, subtracts, enable);
    if (!fitting.saturates) return resized(s, sums, fitting.from, fitting.to.bits);
    return fitting.make(s, sums, enable);
  };
  return r;
}

}  // namespace

Recipe plan(const Add& r, const Formats& f) {
  return plan_sum(f, r.fit, f[0], false, in_slices(r.style));
}

Recipe plan(const Subtract& r, const Formats& f) {
  return plan_sum(f, r.fit, f[0], true, in_slices(r.style));
}

Recipe plan(const Accumulate& r, const Formats& f) {
  // The result returns as an operand in later frames. So its format stays that of the accumulator,
  // without a narrower range.
  const OperandFormat accumulator{.bits = f[1].bits, .is_signed = f[1].is_signed};
  Recipe recipe = plan_sum({f[0], accumulator}, {.overflow = Overflow::saturate}, accumulator,
                           false, in_slices(r.style));
  recipe.formula = "accumulator + a, saturated";
  recipe.result = accumulator;
  return recipe;
}

}  // namespace kumiki::gen::vision
