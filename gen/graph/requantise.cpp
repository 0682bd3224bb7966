// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/requantise.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kumiki::gen::graph {
namespace {

using arith::Exact;

constexpr int float_bits = 24;

// A number of few bits with an exponent: value * 2^exponent.
struct Rounded {
  Exact value;
  int exponent;
};

int bits_of(Exact value) { return arith::bits_for_count((value < 0 ? -value : value) + 1); }

// Rounds to 24 bits, ties to even, like float32 within its normal range.
Rounded as_float(Rounded n) {
  const int drop = bits_of(n.value) - float_bits;
  if (drop <= 0) return n;
  return {rounded(n.value, drop, Rounding::half_even), n.exponent + drop};
}

std::int64_t by_product(const arith::FloatRule& rule, std::int32_t sum) {
  int exponent = 0;
  const float fraction = std::frexp(rule.scale, &exponent);
  const auto factor = static_cast<Exact>(std::ldexp(static_cast<double>(fraction), float_bits));
  const Rounded n = as_float({sum, 0});
  const Rounded product = as_float({n.value * factor, n.exponent + exponent - float_bits});
  // Far outside the range of results, the exact distance does not matter.
  Exact q = 0;
  if (product.exponent >= 0)
    q = product.value * arith::power_of_two(std::min(product.exponent, 60));
  else if (product.exponent > -64)
    q = rounded(product.value, -product.exponent, Rounding::half_even);
  return static_cast<std::int64_t>(std::clamp(q + rule.zero_point, rule.range.lo, rule.range.hi));
}

}  // namespace

bool is_as_it_is(const arith::FloatRule& rule, const arith::Interval& sums) {
  constexpr Exact held = Exact{1} << float_bits;
  return rule.scale == 1 && sums.within({-held, held}) &&
         (sums + rule.zero_point).within(rule.range);
}

std::string to_string(Form form) {
  switch (form) {
    case Form::shift:
      return "shift";
    case Form::factor:
      return "factor";
    case Form::product:
      return "rounded product";
  }
  return "?";
}

int Requantiser::sum_bits() const { return arith::signed_bits(sums); }
int Requantiser::factor_bits() const {
  return form == Form::product ? float_bits : bits_of(rule.factor);
}

std::vector<Requantiser> requantisers(const Graph& graph, const Node& node, int most_factor_bits) {
  const auto rules = rules_of(graph, node);
  const auto reachable = reachable_of(graph, node);
  std::vector<Requantiser> all;
  for (std::size_t c = 0; c < rules.size(); ++c) {
    const arith::FloatRule& rule = rules[c];
    Requantiser r;
    r.sums = reachable[c];
    if (is_as_it_is(rule, r.sums)) {
      r.rule = {.zero_point = rule.zero_point, .range = rule.range};
    } else if (const auto equal =
                   equal_rule(rule, steps_of(rule, reachable[c]), most_factor_bits)) {
      r.rule = *equal;
      r.form = equal->factor == 1 ? Form::shift : Form::factor;
    } else {
      r.rule = {.zero_point = rule.zero_point, .range = rule.range};
      r.form = Form::product;
    }
    all.push_back(r);
  }
  return all;
}

std::int64_t requantised(const Requantiser& plan, const arith::FloatRule& rule, std::int32_t sum) {
  return plan.form == Form::product ? by_product(rule, sum) : requantised(plan.rule, sum);
}

std::string summary(const std::vector<Requantiser>& all) {
  int sums = 0, factors = 0;
  std::size_t shifts = 0, products = 0;
  for (const Requantiser& r : all) {
    sums = std::max(sums, r.sum_bits());
    if (r.form == Form::shift) ++shifts;
    if (r.form == Form::product) ++products;
    if (r.form == Form::factor) factors = std::max(factors, r.factor_bits());
  }
  std::vector<std::string> parts;
  if (shifts > 0) parts.push_back(fmt::format("{} shifted", shifts));
  if (const std::size_t with = all.size() - shifts - products; with > 0)
    parts.push_back(fmt::format("{} with factors of up to {} bits", with, factors));
  if (products > 0)
    parts.push_back(fmt::format("{} with products rounded to {} bits", products, float_bits));
  return fmt::format(
      "{} channel{}, sums of up to {} bits; {}: equal to onnxruntime for every reachable sum",
      all.size(), all.size() == 1 ? "" : "s", sums, fmt::join(parts, ", "));
}

}  // namespace kumiki::gen::graph
