// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/requantise.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kumiki::gen::graph {
namespace {

using arith::Exact;

constexpr int float_bits = 24, most_shift = 46;

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
  return form == Form::product ? float_bits : rule.factor_bits();
}
std::int64_t Requantiser::offset() const {
  return rule.even ? 0 : rule.offset - (rule.zero_point * (std::int64_t{1} << rule.shift));
}

std::vector<Requantiser> requantisers(const Graph& graph, const Node& node, int most_factor_bits) {
  const auto rules = rules_of(graph, node);
  const auto reachable = reachable_of(graph, node);
  std::vector<Requantiser> all;
  for (std::size_t c = 0; c < rules.size(); ++c) {
    const arith::FloatRule& rule = rules[c];
    const auto equal =
        is_as_it_is(rule, reachable[c])
            ? arith::even_rule(1, 0, rule.zero_point, rule.range)
            : arith::equal_rule(steps_of(rule, reachable[c]), static_cast<double>(rule.scale),
                                rule.zero_point, rule.range, most_factor_bits, most_shift, true);
    all.push_back({.form = !equal               ? Form::product
                           : equal->factor == 1 ? Form::shift
                                                : Form::factor,
                   .sums = reachable[c],
                   .rule = equal.value_or(arith::SlicedRule{})});
  }
  return all;
}

std::string to_string(const Requantiser& r) {
  if (r.form == Form::product) return fmt::format("product rounded to {} bits", float_bits);
  std::string text = fmt::format("acc * {}", r.rule.factor);
  if (const std::int64_t offset = r.offset(); offset != 0)
    text = fmt::format("({} {} {})", text, offset < 0 ? '-' : '+', std::abs(offset));
  text += r.rule.even ? fmt::format(" / 2^{} half to even", r.rule.shift)
                      : fmt::format(" >> {}", r.rule.shift);
  return fmt::format("{}, {} {}, in {}", text, r.rule.zero_point < 0 ? '-' : '+',
                     std::abs(r.rule.zero_point), to_string(r.rule.range));
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
