// SPDX-License-Identifier: Apache-2.0
// Absolute values, and the magnitude of two channels, as for Sobel.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gen/hdl/arithmetic.h"
#include "gen/hdl/cells.h"
#include "gen/hdl/mux.h"
#include "gen/hdl/state.h"
#include "gen/layers/vision/pixel/chain.h"
#include "gen/layers/vision/pixel/fit.h"

namespace kumiki::gen::vision {
namespace {

Interval absolute(const Interval& v) {
  if (v.lo >= 0) return v;
  return {v.hi <= 0 ? -v.hi : arith::Exact{0}, std::max(v.hi, -v.lo)};
}

// t, or -t if `turn` is 1: (t ^ turn) + turn, modulo the width; one LUT for each bit.
UInt turned(Scope& s, const UInt& t, Net turn, Net enable) {
  return chained(s, {{turn}, {t}}, turn, enable, [&](const ChainInputs& in, Net carry, bool more) {
    const UInt p = lut_o6(
        s, [](bool x, bool y) { return x != y; }, SourceLocation::current(), in.nets[0],
        in.words[0]);
    return chain_part(s, p, s.constant(0, p.width()), carry, more);
  });
}

// x| of a signed word, in `bits` bits.
UInt absolute_in_luts(Scope& s, const UInt& x, int bits, Net enable) {
  const OperandFormat format{.bits = static_cast<int>(x.width()), .is_signed = true};
  return turned(s, resized(s, x, format, bits), x.msb(), enable);
}

// Computes 0 - x in a lane; half a LUT for each bit selects it if x is negative.
Words absolute_in_slices(Scope& s, const Words& in, const OperandFormat& f, int bits, Net enable) {
  const simd::Options o = slice_options(f, 1, enable);
  const Words zero(in.size(), s.constant(0, static_cast<std::uint32_t>(f.bits)));
  const Words negative = simd::subtract(s, o, zero, in).values;
  const int clocks = static_cast<int>(simd::latency);
  const Words same = delayed(s, resized(s, in, f, bits), clocks, enable);
  Words out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Net sign =
        bits == f.bits ? same[i].msb() : delayed(s, gen::bits(s, {in[i].msb()}), clocks, enable)[0];
    out.push_back(mux(s, sign, resized(s, negative[i], {.is_signed = true}, bits), same[i]));
  }
  return out;
}

// x| + |y| is |x + y| if the signs agree and |x - y| if they differ. This sum or difference has the
// sign of x unless it is 0, so two carry chains suffice instead of three. Both are correct modulo
// any width that holds the unsigned result.
UInt signed_sum(Scope& s, const UInt& x, const UInt& y, Net x_sign, Net y_sign, Net enable) {
  const auto part = [&](const ChainInputs& in, Net carry, bool more) {
    const UInt p = lut_o6(
        s, [](bool c, bool d, bool a, bool b) { return ((a != b) != c) != d; },
        SourceLocation::current(), in.nets[0], in.nets[1], in.words[0], in.words[1]);
    return chain_part(s, p, in.words[0], carry, more);
  };
  return chained(s, {{x_sign, y_sign}, {x, y}}, s.net(x_sign ^ y_sign), enable, part);
}

struct L1 {
  OperandFormat operands;  // of both
  int bits;                // of |x| + |y|

  int clocks() const { return 2 * chain_clocks(bits); }
  Words in_luts(Scope& s, const Words& x, const Words& y, Net enable) const {
    Words out;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const UInt a = resized(s, x[i], operands, bits), b = resized(s, y[i], operands, bits);
      const UInt sum = signed_sum(s, a, b, x[i].msb(), y[i].msb(), enable);
      const UInt sign = delayed(s, gen::bits(s, {x[i].msb()}), chain_clocks(bits), enable);
      out.push_back(turned(s, sum, sign[0], enable));
    }
    return out;
  }
};

Recipe plan_l1(const Magnitude& r, const Formats& f) {
  const Interval a = absolute(f[0].interval()), b = absolute(f[1].interval());
  const Fitting fitting(a + b, r.fit, f[0]);
  const bool slices = in_slices(r.style);
  const OperandFormat both = common(f[0], f[1]);
  const int wide = format_of(absolute(both.format().range())).bits;
  const auto lane = static_cast<int>(simd::latency);
  Recipe recipe;
  recipe.formula = "|a| + |b|" + fitting.words();
  recipe.result = fitting.to;
  recipe.latency = (slices           ? 2 * lane + (both.is_signed ? 1 : 0)
                    : both.is_signed ? L1{both, fitting.from.bits}.clocks()
                                     : chain_clocks(fitting.from.bits)) +
                   fitting.clocks();
  recipe.value = [=](Numbers v) {
    return fitting.value((v[0] < 0 ? -v[0] : v[0]) + (v[1] < 0 ? -v[1] : v[1]));
  };
  recipe.make = [=](Scope& s, const std::vector<Words>& in, Net enable) {
    Words x = resized(s, in[0], f[0], both.bits), y = resized(s, in[1], f[1], both.bits);
    if (slices) {
      if (both.is_signed) {
        x.insert(x.end(), y.begin(), y.end());
        x = registered(s, absolute_in_slices(s, x, both, wide, enable), enable);
        y.assign(x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
        x.resize(x.size() / 2);
      } else {
        x = delayed(s, x, lane, enable), y = delayed(s, y, lane, enable);
      }
      const simd::Options o = slice_options({.bits = wide, .is_signed = false}, 1, enable);
      const Words sums = simd::add(s, o, x, y);
      return fitting.make(s, resized(s, sums, {.is_signed = false}, fitting.from.bits), enable);
    }
    if (!both.is_signed) {
      Words sums;
      for (std::size_t i = 0; i < x.size(); ++i)
        sums.push_back(sum_chained(s, resized(s, x[i], both, fitting.from.bits),
                                   resized(s, y[i], both, fitting.from.bits), false, enable));
      return fitting.make(s, sums, enable);
    }
    return fitting.make(s, L1{both, fitting.from.bits}.in_luts(s, x, y, enable), enable);
  };
  return recipe;
}

Recipe plan_max(const Magnitude& r, const Formats& f) {
  const Interval a = absolute(f[0].interval()), b = absolute(f[1].interval());
  const Fitting fitting({std::max(a.lo, b.lo), std::max(a.hi, b.hi)}, r.fit, f[0]);
  const OperandFormat half{.bits = format_of(arith::hull(a, b)).bits, .is_signed = false};
  const std::array<Recipe, 2> each{plan(Abs{r.style}, {f[0]}), plan(Abs{r.style}, {f[1]})};
  const int first = std::max(each[0].latency, each[1].latency);
  const Recipe larger = plan(Extreme{.end = End::maximum, .style = r.style}, {half, half});
  Recipe recipe;
  recipe.formula = "max(|a|, |b|)" + fitting.words();
  recipe.result = fitting.to;
  recipe.latency = first + larger.latency + fitting.clocks();
  recipe.value = [=](Numbers v) {
    return fitting.value(std::max(v[0] < 0 ? -v[0] : v[0], v[1] < 0 ? -v[1] : v[1]));
  };
  recipe.make = [=](Scope& s, const std::vector<Words>& in, Net enable) {
    const auto magnitudes = [&](std::size_t k) {
      const Words x = delayed(s, each[k].make(s, {in[k]}, enable), first - each[k].latency, enable);
      return resized(s, x, each[k].result, half.bits);
    };
    const Words made = larger.make(s, {magnitudes(0), magnitudes(1)}, enable);
    return fitting.make(s, resized(s, made, half, fitting.from.bits), enable);
  };
  return recipe;
}

}  // namespace

Recipe plan(const Abs& r, const Formats& f) {
  const bool slices = in_slices(r.style);
  Recipe recipe;
  recipe.formula = "|a|";
  recipe.result = format_of(absolute(f[0].interval()));
  recipe.latency = !f[0].is_signed ? 0
                   : slices        ? static_cast<int>(simd::latency) + 1
                                   : chain_clocks(recipe.result.bits);
  recipe.value = [](Numbers v) { return v[0] < 0 ? -v[0] : v[0]; };
  recipe.make = [=, bits = recipe.result.bits](Scope& s, const std::vector<Words>& in, Net enable) {
    if (!f[0].is_signed) return resized(s, in[0], f[0], bits);
    if (slices) return registered(s, absolute_in_slices(s, in[0], f[0], bits, enable), enable);
    Words out;
    for (const UInt& x : in[0]) out.push_back(absolute_in_luts(s, x, bits, enable));
    return out;
  };
  return recipe;
}

Recipe plan(const Magnitude& r, const Formats& f) {
  switch (r.norm) {
    case Norm::l1:
      return plan_l1(r, f);
    case Norm::max:
      return plan_max(r, f);
    case Norm::l2:
      break;
  }
  return plan_l2(r, f);
}

}  // namespace kumiki::gen::vision
