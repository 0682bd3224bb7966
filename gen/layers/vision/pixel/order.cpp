// SPDX-License-Identifier: Apache-2.0
// Operations that compare two values: absolute differences, minima, maxima, thresholds.
#include <fmt/format.h>

#include <algorithm>

#include "gen/blocks/requant/select.h"
#include "gen/hdl/arithmetic.h"
#include "gen/hdl/cells.h"
#include "gen/hdl/mux.h"
#include "gen/hdl/state.h"
#include "gen/layers/vision/messages.h"
#include "gen/layers/vision/pixel/chain.h"
#include "gen/layers/vision/pixel/fit.h"
#include "ir/error.h"

namespace kumiki::gen::vision {
namespace {

// Both operands in a format that holds either.
struct Pair {
  OperandFormat format;
  Words a, b;
  Pair(Scope& s, const Formats& f, const std::vector<Words>& in)
      : format(common(f[0], f[1])),
        a(resized(s, in[0], f[0], format.bits)),
        b(resized(s, in[1], f[1], format.bits)) {}
};

Net larger(Scope& s, const OperandFormat& format, const UInt& a, const UInt& b) {
  return format.is_signed ? at_least(s, SInt(Word(a)), SInt(Word(b))) : at_least(s, a, b);
}

// The larger minus the smaller, after their order is known. a - b and b - a have the same
// propagate; only the generate of a position depends on the order. So this takes one LUT for each
// bit, like a single difference.
UInt distance(Scope& s, Net first_is_larger, const UInt& a, const UInt& b, Net enable) {
  const auto part = [&](const ChainInputs& now, Net carry, bool more) {
    std::vector<Net> propagate, generate;
    for (std::uint32_t i = 0; i < now.words[0].width(); ++i) {
      const auto out =
          Lut6_2{
              .init = table([](bool first, bool x, bool y) { return pair(x == y, first ? x : y); }),
              .in = {now.nets[0], now.words[0][i], now.words[1][i]}}
              .add_to(s);
      propagate.push_back(out.o6), generate.push_back(out.o5);
    }
    return chain_part(s, bits(s, propagate), bits(s, generate), carry, more);
  };
  return chained(s, {{first_is_larger}, {a, b}}, ir::net_one, enable, part);
}

// The distance fits in `bits` bits, so the operands need no more.
Words distances_in_luts(Scope& s, const Pair& p, int bits, Net enable) {
  Words out;
  const Words a = registered(s, resized(s, p.a, p.format, bits), enable);
  const Words b = registered(s, resized(s, p.b, p.format, bits), enable);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Net first = reg(s, larger(s, p.format, p.a[i], p.b[i]), {.enable = enable});
    out.push_back(distance(s, first, a[i], b[i], enable));
  }
  return out;
}

// As simd::absolute_difference, but without bits that the range does not need.
Words distances_in_slices(Scope& s, const Pair& p, int bits, Net enable) {
  if (bits == p.format.bits)
    return simd::absolute_difference(s, slice_options(p.format, 0, enable), p.a, p.b);
  Words a, b;
  for (std::size_t i = 0; i < p.a.size(); ++i) {
    a.insert(a.end(), {p.a[i], p.b[i]});
    b.insert(b.end(), {p.b[i], p.a[i]});
  }
  const simd::Difference d = simd::subtract(s, slice_options(p.format, 1, enable), a, b);
  Words out;
  for (std::size_t i = 0; i < a.size(); i += 2)
    out.push_back(mux(s, d.at_least[i], resized(s, d.values[i], {}, bits),
                      resized(s, d.values[i + 1], {}, bits)));
  return out;
}

}  // namespace

Recipe plan(const AbsDiff& r, const Formats& f) {
  const Interval d = f[0].interval() - f[1].interval();
  Recipe recipe;
  recipe.formula = "|a - b|";
  const auto lo = arith::Exact{0};
  recipe.result = format_of({d.lo > 0 ? d.lo : d.hi < 0 ? -d.hi : lo, std::max(d.hi, -d.lo)});
  const bool slices = in_slices(r.style);
  recipe.latency =
      slices ? static_cast<int>(simd::latency) + 1 : 1 + chain_clocks(recipe.result.bits);
  recipe.value = [](Numbers v) { return v[0] < v[1] ? v[1] - v[0] : v[0] - v[1]; };
  recipe.make = [=, bits = recipe.result.bits](Scope& s, const std::vector<Words>& in, Net enable) {
    const Pair p(s, f, in);
    const Words made = slices ? registered(s, distances_in_slices(s, p, bits, enable), enable)
                              : distances_in_luts(s, p, bits, enable);
    return made;
  };
  return recipe;
}

Recipe plan(const Extreme& r, const Formats& f) {
  const Interval x = f[0].interval(), y = f[1].interval();
  const bool low = r.end == End::minimum, slices = in_slices(r.style);
  Recipe recipe;
  recipe.formula = low ? "min(a, b)" : "max(a, b)";
  recipe.result = low ? format_of({std::min(x.lo, y.lo), std::min(x.hi, y.hi)})
                      : format_of({std::max(x.lo, y.lo), std::max(x.hi, y.hi)});
  // Up to sixteen bits are compared and exchanged in one clock; for more, the answer takes another
  // clock.
  const bool waits = !slices && common(f[0], f[1]).bits > 16;
  recipe.latency = slices ? static_cast<int>(simd::latency) + 1 : waits ? 2 : 1;
  recipe.value = [=](Numbers v) { return low ? std::min(v[0], v[1]) : std::max(v[0], v[1]); };
  recipe.make = [=, bits = recipe.result.bits](Scope& s, const std::vector<Words>& in, Net enable) {
    const Pair p(s, f, in);
    Words a = resized(s, p.a, p.format, bits), b = resized(s, p.b, p.format, bits);
    std::vector<Net> first;  // the first operand is the larger
    if (slices) {
      first = simd::at_least(s, slice_options(p.format, 0, enable), p.a, p.b);
      a = delayed(s, a, static_cast<int>(simd::latency), enable);
      b = delayed(s, b, static_cast<int>(simd::latency), enable);
    } else {
      for (std::size_t i = 0; i < a.size(); ++i)
        first.push_back(larger(s, p.format, p.a[i], p.b[i]));
    }
    if (waits) {
      for (Net& n : first) n = reg(s, n, {.enable = enable});
      a = registered(s, a, enable), b = registered(s, b, enable);
    }
    return registered(s, low ? simd::select(s, first, b, a) : simd::select(s, first, a, b), enable);
  };
  return recipe;
}

namespace {

// low <= x <= high as at most two comparisons with constants.
struct Band {
  OperandFormat format;
  std::optional<std::int64_t> from, to;  // empty if every value passes

  Band(const OperandFormat& f, std::int64_t low, std::int64_t high) : format(f) {
    const Interval all = f.format().range();
    if (low > all.lo) from = low;
    if (high < all.hi) to = high;
  }
  bool outside() const {
    const Interval all = format.format().range();
    return (from && *from > all.hi) || (to && *to < all.lo) || (from && to && *from > *to);
  }
  bool everything() const { return !from && !to; }
};

// Two comparisons of more than 11 bits are combined one clock later.
int inside_clocks(const Band& band) {
  return band.from && band.to && band.format.bits > 11 ? 2 : 1;
}

std::vector<Net> inside_in_luts(Scope& s, const Band& band, const Words& in, Net enable) {
  std::vector<Net> out;
  for (const UInt& x : in) {
    const auto below = [&](std::int64_t bound, bool at_least) {
      const Net answer = requant::below_constant(s, x, bound, band.format.is_signed, at_least);
      return inside_clocks(band) > 1 ? reg(s, answer, {.enable = enable}) : answer;
    };
    const Net from = band.from ? below(*band.from, true) : ir::net_one;
    const Net to = band.to ? below(*band.to + 1, false) : ir::net_one;
    const Net inside = !band.to ? from : !band.from ? to : s.net(from & to);
    out.push_back(reg(s, inside, {.enable = enable}));
  }
  return out;
}

// x >= from and to >= x, from the carries of slices.
std::vector<Net> inside_in_slices(Scope& s, const Band& band, const Words& in, Net enable) {
  Words a, b;
  const auto constant = [&](std::int64_t value) {
    const auto width = static_cast<std::uint32_t>(band.format.bits);
    return UInt(Word(s.signed_constant(value, width + 1))).slice(0, width);
  };
  for (const UInt& x : in) {
    if (band.from) a.push_back(x), b.push_back(constant(*band.from));
    if (band.to) a.push_back(constant(*band.to)), b.push_back(x);
  }
  const std::vector<Net> answers = simd::at_least(s, slice_options(band.format, 0, enable), a, b);
  std::vector<Net> out;
  for (std::size_t i = 0; i < answers.size();) {
    Net inside = answers[i++];
    if (band.from && band.to) inside = s.net(inside & answers[i++]);
    out.push_back(inside);
  }
  return out;
}

}  // namespace

Recipe plan(const Threshold& r, const Formats& f) {
  if (r.low.has_value() != r.high.has_value())
    throw DesignError({.code = code::threshold_range,
                       .key = r.low ? "low" : "high",
                       .wrong = "the range of the threshold has one end",
                       .required = "give both \"low\" and \"high\""});
  if (r.low && *r.low > *r.high)
    throw DesignError(
        {.code = code::threshold_range,
         .key = "low",
         .wrong = fmt::format("the range of the threshold, {} to {}, is empty", *r.low, *r.high),
         .required = "\"low\" must be at most \"high\""});
  const std::int64_t largest = (std::int64_t{1} << 40) - 1;
  const std::int64_t low = r.low ? *r.low : r.value + 1, high = r.high ? *r.high : largest;
  const Band band(f[0], low, high);
  Recipe recipe;
  recipe.formula =
      fmt::format("{} ? {} : {}",
                  r.low ? fmt::format("{} <= a <= {}", low, high) : fmt::format("a > {}", r.value),
                  r.true_value, r.false_value);
  recipe.result =
      format_of({std::min(r.true_value, r.false_value), std::max(r.true_value, r.false_value)});
  const bool known = band.outside() || band.everything(), slices = in_slices(r.style);
  recipe.latency = known ? 0 : slices ? static_cast<int>(simd::latency) : inside_clocks(band);
  recipe.value = [=](Numbers v) {
    return low <= v[0] && v[0] <= high ? r.true_value : r.false_value;
  };
  recipe.make = [=, width = recipe.result.bits](Scope& s, const std::vector<Words>& in,
                                                Net enable) {
    const std::vector<Net> inside =
        known    ? std::vector<Net>(in[0].size(), ir::constant(!band.outside()))
        : slices ? inside_in_slices(s, band, in[0], enable)
                 : inside_in_luts(s, band, in[0], enable);
    Words out;
    for (const Net n : inside) {
      std::vector<Net> digits;
      for (int i = 0; i < width; ++i) {
        const bool one = r.true_value >> i & 1, zero = r.false_value >> i & 1;
        digits.push_back(one && zero ? ir::net_one : one ? n : zero ? s.net(~n) : ir::net_zero);
      }
      out.push_back(bits(s, digits));
    }
    return out;
  };
  return recipe;
}

}  // namespace kumiki::gen::vision
