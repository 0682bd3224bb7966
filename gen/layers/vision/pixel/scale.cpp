// SPDX-License-Identifier: Apache-2.0
// Multiplication by a constant with rounding, and operations built from it. In LUTs the product is
// sums and differences of shifted words, one for every non-zero signed digit of the multiplier. In
// a slice the multiplier computes it, with rounding and offset on C.
#include <fmt/format.h>

#include <algorithm>

#include "gen/blocks/requant/messages.h"
#include "gen/blocks/requant/select.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/state.h"
#include "gen/layers/vision/messages.h"
#include "gen/layers/vision/pixel/chain.h"
#include "gen/layers/vision/pixel/fit.h"
#include "ir/error.h"

namespace kumiki::gen::vision {
namespace {

struct Digit {
  int shift;
  bool negative;
};

// The non-zero digits of the shortest sum of signed powers of two; no two are neighbours.
std::vector<Digit> digits_of(std::int64_t m) {
  std::vector<Digit> all;
  for (int shift = 0; m != 0; ++shift, m /= 2) {
    if (m % 2 == 0) continue;
    // Odd: choose +1 or -1 so that the rest is a multiple of four.
    const bool negative = (m & 3) == 3;
    all.push_back({shift, negative});
    m += negative ? 1 : -1;
  }
  return all;
}

struct Term {
  UInt word;
  bool negative;
};

Term combined(Scope& s, const Term& a, const Term& b, Net enable) {
  if (a.negative == b.negative) return {sum_chained(s, a.word, b.word, false, enable), a.negative};
  const auto& [from, less] = a.negative ? std::pair(b.word, a.word) : std::pair(a.word, b.word);
  return {sum_chained(s, from, less, true, enable), false};
}

// How the dropped bits show a tie.
enum class Tie : std::uint8_t { none, zeros, ones };

// (multiplier * x + addend) >> shift in LUTs, with what rounding needs.
struct Product {
  OperandFormat input;
  std::int64_t multiplier, addend;
  int shift;
  Tie wants_tie;
  int bits;  // of the whole, before the shift

  struct Out {
    UInt kept;
    Net tie = ir::net_zero;
  };

  int levels() const {
    int n = static_cast<int>(digits_of(multiplier).size()), levels = 0;
    for (; n > 1; n = (n + 1) / 2) ++levels;
    return levels;
  }
  bool adds_last() const {
    const auto d = digits_of(multiplier);
    // Rounding to even reads the ties from a sum, and a negated word is a sum too.
    return addend != 0 || (!d.empty() && std::all_of(d.begin(), d.end(),
                                                     [](const Digit& x) { return x.negative; }));
  }
  // Detecting a tie in the dropped bits takes a clock of its own.
  int clocks() const {
    return (levels() + (adds_last() ? 1 : 0)) * chain_clocks(bits) +
           (wants_tie == Tie::none ? 0 : 1);
  }

  std::vector<Term> terms(Scope& s, const UInt& x) const {
    std::vector<Term> all;
    for (const Digit& d : digits_of(multiplier)) {
      const UInt wide = resized(s, x, input, bits);
      const auto low = static_cast<std::uint32_t>(std::min(d.shift, bits));
      all.push_back({cat(s, {wide.slice(0, wide.width() - low), s.constant(0, low)}), d.negative});
    }
    return all;
  }

  Out in_luts(Scope& s, const UInt& x, Net enable) const {
    std::vector<Term> now = terms(s, x);
    if (now.empty()) now.push_back({s.constant(0, static_cast<std::uint32_t>(bits)), false});
    for (int level = 0; level < levels(); ++level) {
      std::vector<Term> next;
      for (std::size_t i = 0; i + 1 < now.size(); i += 2)
        next.push_back(combined(s, now[i], now[i + 1], enable));
      if (now.size() % 2)
        next.push_back(
            {delayed(s, now.back().word, chain_clocks(bits), enable), now.back().negative});
      now = std::move(next);
    }
    UInt whole = now[0].word;
    if (adds_last()) {
      const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
      const UInt c =
          s.constant(static_cast<std::uint64_t>(addend) & mask, static_cast<std::uint32_t>(bits));
      whole = now[0].negative ? sum_chained(s, c, whole, true, enable)
                              : sum_chained(s, whole, c, false, enable);
    }
    return finished(s, whole, enable);
  }

  Out finished(Scope& s, const UInt& whole, Net enable) const {
    const auto drop = static_cast<std::uint32_t>(shift);
    Out out{.kept = whole.slice(drop, whole.width() - drop)};
    if (wants_tie == Tie::none) return out;
    const UInt below = whole.slice(0, drop);
    const Bit tie = wants_tie == Tie::zeros ? ~any_of(s, below) : Bit(all_of(s, below));
    return {.kept = registered(s, out.kept, enable), .tie = reg(s, tie, {.enable = enable})};
  }
};

constexpr int multiply_clocks = 3;

Product::Out in_slice(Scope& s, const Product& p, const UInt& x, Net enable) {
  const Dsp48e2 dsp{
      .attributes = {.alumodereg = 0, .carryinselreg = 0, .inmodereg = 0, .opmodereg = 0},
      .a = resized(s, x, p.input, dsp48e2.a),
      .b = s.signed_constant(p.multiplier, dsp48e2.b),
      .c = s.signed_constant(p.addend, dsp48e2.c),
      .opmode = 0b011'01'01,
      .enable = enable};
  return p.finished(s, UInt(Word(dsp.add_to(s).p)).slice(0, static_cast<std::uint32_t>(p.bits)),
                    enable);
}

void check(const Scale& r) {
  if (r.rounding == Rounding::half_away)
    throw DesignError({.code = code::rounding_not_possible,
                       .key = "round",
                       .wrong = "a scale does not round halves away from zero",
                       .required = "use down, half-up or half-even"});
  // In LUTs only the sums' width limits it.
  const int bits = in_slices(r.style) ? dsp48e2.multiplier_b - 1 : 30;
  const std::int64_t limit = std::int64_t{1} << bits;
  if (r.multiplier < -limit || r.multiplier >= limit)
    throw DesignError(
        {.code = code::out_of_range,
         .key = "multiply",
         .wrong = fmt::format("the multiplier is {}", r.multiplier),
         .required = fmt::format("it must be -2^{0} to 2^{0} - 1; use a shift for more", bits)});
  if (r.shift < 0 || r.shift > 30)
    throw DesignError({.code = code::out_of_range,
                       .key = "shift",
                       .wrong = fmt::format("the shift is {}", r.shift),
                       .required = "it must be 0 to 30"});
  const std::int64_t most = std::int64_t{1} << 27;
  if (r.offset < -most || r.offset > most)
    throw DesignError({.code = code::out_of_range,
                       .key = "offset",
                       .wrong = fmt::format("the offset is {}", r.offset),
                       .required = "it must be -2^27 to 2^27"});
  if (r.addend < -most || r.addend > most)
    throw DesignError({.code = code::out_of_range,
                       .wrong = fmt::format("the addend is {}", r.addend),
                       .required = "it must be -2^27 to 2^27"});
}

}  // namespace

Recipe plan(const Scale& r, const Formats& f) {
  check(r);
  const bool rounds = r.shift > 0 && r.rounding != Rounding::down;
  const bool ties = rounds && r.rounding == Rounding::half_even, slices = in_slices(r.style);
  // The offset is added after rounding; the hardware adds it together with the half.
  const bool odd_offset = ties && r.offset % 2 != 0;
  const arith::Exact offset = r.offset * arith::power_of_two(r.shift);
  const arith::Exact half =
      (rounds ? arith::power_of_two(r.shift - 1) : arith::Exact{0}) - (odd_offset ? 1 : 0);
  const auto value = [=](std::int64_t x) {
    return static_cast<std::int64_t>(
        rounded(arith::Exact{r.multiplier} * x + r.addend, r.shift, r.rounding) + r.offset);
  };
  const Interval in = f[0].interval();
  const std::int64_t ends[] = {value(static_cast<std::int64_t>(in.lo)),
                               value(static_cast<std::int64_t>(in.hi))};
  const Interval exact{std::min(ends[0], ends[1]), std::max(ends[0], ends[1])};
  const Fitting fitting(exact, r.bits ? Fit{Overflow::saturate, r.bits, r.is_signed} : Fit{}, f[0]);
  // All sums are correct modulo 2^(kept bits + dropped bits).
  const int wide = fitting.from.bits + r.shift;
  if (wide > dsp48e2.p)
    throw DesignError({.code = code::product_too_wide,
                       .wrong = fmt::format("the scaled product has {} bits", wide),
                       .required = "it must have at most 48"});
  const Product product{f[0],
                        r.multiplier,
                        static_cast<std::int64_t>(offset + half + r.addend),
                        r.shift,
                        !ties        ? Tie::none
                        : odd_offset ? Tie::ones
                                     : Tie::zeros,
                        wide};
  Recipe recipe;
  const auto scaled = r.addend == 0 ? fmt::format("{} * a", r.multiplier)
                                    : fmt::format("({} * a + {})", r.multiplier, r.addend);
  recipe.formula = fmt::format("{} / 2^{} + {}{}", scaled, r.shift, r.offset, fitting.words());
  recipe.result = fitting.to;
  const int clocks = slices ? multiply_clocks + (ties ? 1 : 0) : product.clocks();
  const bool last = ties && !fitting.saturates;  // a clock for the even digit alone
  recipe.latency = clocks + fitting.clocks() + (last ? 1 : 0);
  recipe.value = [=](Numbers v) { return fitting.value(value(v[0])); };
  recipe.make = [=](Scope& s, const std::vector<Words>& operands, Net enable) {
    Words exact_words;
    for (const UInt& x : operands[0]) {
      const Product::Out out =
          slices ? in_slice(s, product, x, enable) : product.in_luts(s, x, enable);
      exact_words.push_back(ties ? requant::made_even(s, out.kept, out.tie, odd_offset) : out.kept);
    }
    if (last) exact_words = registered(s, exact_words, enable);
    return fitting.make(s, exact_words, enable);
  };
  return recipe;
}

namespace {

// (x - accumulator) * alpha + accumulator * 2^shift + half, in one slice: four clocks.
UInt weighted_in_slice(Scope& s, const Formats& f, const AccumulateWeighted& r, const UInt& x,
                       const UInt& old, Net enable) {
  const auto shift = static_cast<std::uint32_t>(r.shift);
  const UInt waiting = delayed(s, old, 2, enable);
  const UInt high = resized(s, waiting, f[1], dsp48e2.c - r.shift);
  const UInt half = s.constant(r.shift ? std::uint64_t{1} << (shift - 1) : 0, shift);
  const Dsp48e2 dsp{.attributes = {.alumodereg = 0,
                                   .carryinselreg = 0,
                                   .inmodereg = 0,
                                   .opmodereg = 0,
                                   .amultsel = ir::dsp48e2::AMultSel::ad},
                    .a = resized(s, old, f[1], dsp48e2.a),
                    .b = s.signed_constant(r.alpha, dsp48e2.b),
                    .c = cat(s, {high, half}),
                    .d = resized(s, x, f[0], dsp48e2.d),
                    .opmode = 0b011'01'01,
                    .inmode = 0b01100,  // D - A
                    .enable = enable};
  return UInt(Word(dsp.add_to(s).p));
}

// The difference is needed only modulo the width of the sum.
Product weighted_product(const AccumulateWeighted& r, const OperandFormat& x,
                         const OperandFormat& old) {
  OperandFormat difference = format_of(x.interval() - old.interval());
  const int bits = old.bits + r.shift;
  const auto digits = digits_of(r.alpha);
  const int low = digits.empty() ? 0 : digits.front().shift;
  difference = {.bits = std::min(difference.bits, bits - low), .is_signed = difference.is_signed};
  return {difference, r.alpha, 0, 0, Tie::none, bits};
}

}  // namespace

Recipe plan(const AccumulateWeighted& r, const Formats& f) {
  if (r.shift < 0 || r.shift > 16 || r.alpha < 0 || r.alpha > 1 << r.shift)
    throw DesignError({.code = code::out_of_range,
                       .key = r.shift < 0 || r.shift > 16 ? "shift" : "alpha",
                       .wrong = fmt::format("the weight is {} / 2^{}", r.alpha, r.shift),
                       .required = "it must be 0 to 1, with a shift of 0 to 16"});
  const OperandFormat old{.bits = f[1].bits, .is_signed = f[1].is_signed};
  if (!f[0].format().range().within(old.interval()))
    throw DesignError({.code = code::image_not_held,
                       .wrong = fmt::format("the accumulator {} does not hold the image {}",
                                            to_string(f[1]), to_string(f[0])),
                       .required = "make the accumulator wider, or the image narrower"});
  const bool slices = in_slices(r.style);
  const auto bits = static_cast<std::uint32_t>(old.bits);
  // The difference times alpha, plus the accumulator shifted up by `shift` bits.
  const Product product = weighted_product(r, f[0], old);
  Recipe recipe;
  recipe.formula = fmt::format("accumulator + {} * (a - accumulator) / 2^{}", r.alpha, r.shift);
  recipe.result = old;
  recipe.latency =
      r.alpha == 0 ? 0
      : slices     ? 4
               : chain_clocks(product.input.bits) + product.clocks() + chain_clocks(product.bits);
  recipe.value = [=](Numbers v) {
    return static_cast<std::int64_t>(
        rounded(arith::Exact{r.alpha} * v[0] + (arith::power_of_two(r.shift) - r.alpha) * v[1],
                r.shift, Rounding::half_up));
  };
  recipe.make = [=](Scope& s, const std::vector<Words>& in, Net enable) {
    if (r.alpha == 0) return in[1];
    Words out;
    const auto shift = static_cast<std::uint32_t>(r.shift);
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      if (slices) {
        out.push_back(
            weighted_in_slice(s, {f[0], old}, r, in[0][i], in[1][i], enable).slice(shift, bits));
        continue;
      }
      const int wide = product.input.bits;
      const UInt difference = sum_chained(s, resized(s, in[0][i], f[0], wide),
                                          resized(s, in[1][i], old, wide), true, enable);
      const UInt part = product.in_luts(s, difference, enable).kept;
      const UInt before = delayed(s, in[1][i], chain_clocks(wide) + product.clocks(), enable);
      // The half is a constant in the bits below the accumulator.
      const UInt half = s.constant(r.shift ? std::uint64_t{1} << (shift - 1) : 0, shift);
      out.push_back(sum_chained(s, part, cat(s, {before, half}), false, enable).slice(shift, bits));
    }
    return out;
  };
  return recipe;
}

}  // namespace kumiki::gen::vision
