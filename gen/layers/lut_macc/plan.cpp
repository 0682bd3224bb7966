// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/lut_macc/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gen/arith/chain_parts.h"
#include "gen/layers/common/write.h"
#include "ir/ceil_div.h"

namespace kumiki::gen::lut_macc {
namespace {

using arith::Interval;

std::string operand_name(const Operand& o) {
  return fmt::format("{}{}", o.is_signed ? "s" : "u", o.bits);
}

// The bits of a word for these values; unsigned if none is negative.
int bits_of(const Interval& range) {
  return range.lo < 0 ? arith::signed_bits(range)
                      : std::max(1, arith::bits_for_count(range.hi + 1));
}

// Radix-4 digits; an unsigned number needs a 0 above its top bit.
int digit_count(const Operand& o) { return o.is_signed ? (o.bits + 1) / 2 : o.bits / 2 + 1; }

// Positions of all rows for this choice of digits.
int positions(Plan p, bool recode_a) {
  p.recode_a = recode_a;
  p.rows = std::min(digit_count(p.digits()), (p.product_bits + 1) / 2);
  return p.product_positions();
}

packing::SumPlan planned_tree(const Plan& p) {
  Builder scratch;
  Scope s(scratch, scratch.design().add_module("product"));
  const packing::Addend word{
      .bits = s.input<UInt>("product", static_cast<std::uint32_t>(p.product_bits)),
      .is_signed = p.product.lo < 0,
      .range = p.product};
  return packing::plan_sum(std::vector(static_cast<std::size_t>(p.request.terms), word), p.levels(),
                           static_cast<std::uint32_t>(p.sum_bits));
}

}  // namespace

Expected<Plan, Diagnostic> plan(const Request& r) {
  Plan p{.request = r};
  p.product = r.a.range() * r.b.range();
  p.sum = p.product * arith::Exact{r.terms};
  p.product_bits = bits_of(p.product);
  p.sum_bits = bits_of(p.sum);
  p.recode_a = positions(p, true) < positions(p, false);
  p.rows = std::min(digit_count(p.digits()), (p.product_bits + 1) / 2);
  const arith::Format product{p.product_bits, p.product.lo < 0};
  p.certificate.within("product", p.product, product.range());
  p.certificate.within("sum", p.sum, p.sum_format().range());
  if (!p.certificate.at_most("bits of the sum", p.sum_bits, 63, "fewer terms or bits"))
    return Diagnostic{
        .code = code::sum_too_wide,
        .wrong = fmt::format("lut_macc: {}", to_string(*p.certificate.first_broken()))};
  if (r.sum == Sum::tree) p.tree = planned_tree(p);
  return p;
}

// The sum of the rows so far is the multiplicand times a signed number of 2 * row + 2 bits. Its
// lowest 2 * row bits are final. Bits above the product are not needed.
int Plan::row_width(int row) const {
  const Operand& x = multiplicand();
  const int signed_width = x.is_signed ? x.bits : x.bits + 1;
  return std::min(signed_width + 2, product_bits - 2 * row);
}

int Plan::product_positions() const {
  int all = 0;
  for (int k = 0; k < rows; ++k) all += row_width(k);
  return all;
}

int Plan::product_latency() const { return ceil_div(rows, request.rows_per_stage); }

int Plan::levels() const {
  if (request.sum == Sum::systolic) return request.terms - 1;
  return static_cast<int>(std::bit_width(static_cast<unsigned>(request.terms - 1)));
}

int Plan::sum_latency() const {
  return request.terms == 1 ? 0 : levels() + arith::chain_clocks(sum_bits) - 1;
}

// The first adder takes two products, so operands 0 and 1 have no skew.
int Plan::lateness(int term) const {
  return request.sum == Sum::systolic ? std::max(0, term - 1) : 0;
}

std::string Plan::module_name() const {
  return fmt::format(
      "lut_macc_{}_{}x{}_n{}{}", request.sum == Sum::tree ? "tree" : "systolic",
      operand_name(request.a), operand_name(request.b), request.terms,
      request.rows_per_stage == 1 ? "" : fmt::format("_r{}", request.rows_per_stage));
}

MaccIn<Hardware> Plan::input_shape() const {
  const auto port = [&](const Operand& o) {
    return std::vector(static_cast<std::size_t>(request.terms),
                       UInt::shape(static_cast<std::uint32_t>(o.bits)));
  };
  return {.rst = {}, .en = {}, .in_valid = {}, .a = port(request.a), .b = port(request.b)};
}

MaccOut<Hardware> Plan::output_shape() const {
  return {.out_valid = {}, .sum = UInt::shape(static_cast<std::uint32_t>(sum_bits))};
}

std::string to_text(const Plan& p) {
  const Request& r = p.request;
  std::vector<int> widths;
  for (int k = 0; k < p.rows; ++k) widths.push_back(p.row_width(k));
  std::string text = fmt::format(
      "{} products {} x {} in LUTs, no slice\n"
      "  digits of {}: {} rows of {} carry positions, a LUT6 each, a register behind {}\n"
      "  {} of {} levels, operand i {}\n",
      r.terms, operand_name(r.a), operand_name(r.b), p.recode_a ? "a" : "b", p.rows,
      fmt::join(widths, ", "),
      r.rows_per_stage == 1 ? "every one" : fmt::format("every {}", r.rows_per_stage),
      r.sum == Sum::tree ? "tree" : "chain", p.levels(),
      r.sum == Sum::tree ? "with all others" : "max(0, i - 1) clocks after the first");
  if (r.sum == Sum::tree) {
    const auto& sites = p.tree.sites;
    text += sites.on_tree()
                ? fmt::format("  {} LUT for the sum on a compressor tree; {} as adders\n",
                              *sites.tree, sites.adders)
                : fmt::format("  {} LUT for the sum as adders\n", sites.adders);
  }
  text += "certificate\n";
  for (const auto& statement : p.certificate.statements())
    text += "  " + to_string(statement) + "\n";
  text += fmt::format("sum of {} bits, {} products a clock, latency {}\n",
                      to_string(p.sum_format()), r.terms, p.latency());
  return text;
}

void write(config::Writer& w, const Plan& p) {
  std::optional<unsigned> sum_luts, adder_luts;  // not for a chain
  if (p.request.sum == Sum::tree) {
    const auto& sites = p.tree.sites;
    sum_luts = sites.best();
    adder_luts = sites.adders;
  }
  w.member("terms", p.request.terms);
  w.member("sum", p.request.sum == Sum::tree ? "tree" : "systolic");
  w.member("digits", p.recode_a ? "a" : "b");
  w.member("rows", p.rows);
  w.member("product_positions", p.product_positions());
  w.member("product_bits", p.product_bits);
  w.member("sum_bits", p.sum_bits);
  w.member("sum_signed", p.sum.lo < 0);
  w.member("sum_luts", sum_luts);
  w.member("sum_luts_as_adders", adder_luts);
  w.member("slices", 0);
  w.member("macs_per_cycle", p.request.terms);
  w.member("latency", p.latency());
  w.member("proofs", p.certificate);
}

}  // namespace kumiki::gen::lut_macc
