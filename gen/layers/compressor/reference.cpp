// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/compressor/reference.h"

#include <fmt/format.h>

namespace kumiki::gen::compressor {
namespace {

using proof::constant;
using proof::number;
using proof::Word;

std::string element(const std::string& port, std::uint32_t i, std::uint32_t bits, bool is_signed) {
  return number(fmt::format("{}_due[{} +: {}]", port, i * bits, bits), is_signed);
}

proof::Reference sum_of(std::vector<Word> in, const std::string& sum, const SumPlan& plan) {
  const Word out{"sum", plan.width};
  return proof::reference({.in = std::move(in),
                           .out = out,
                           .latency = plan.latency,
                           .body = fmt::format("  wire signed [{}:0] total = {};\n"
                                               "  assign sum = total;\n",
                                               out.bits - 1, sum),
                           .sum_ports = {"sum"}});
}

}  // namespace

proof::Reference reference(const PopcountRequest& r, const SumPlan& plan) {
  std::string sum = "0";
  for (std::uint32_t i = 0; i < r.bits; ++i) sum += fmt::format(" + x_due[{}]", i);
  return sum_of({{"x", r.bits}}, sum, plan);
}

proof::Reference reference(const XnorPopcountRequest& r, const SumPlan& plan) {
  std::string sum = "0";
  for (std::uint32_t i = 0; i < r.bits; ++i) sum += fmt::format(" + (x_due[{0}] == w_due[{0}])", i);
  // Each agreement counts +1, each disagreement -1.
  if (r.reading == Reading::bipolar) sum = fmt::format("2 * ({}) - {}", sum, r.bits);
  return sum_of({{"x", r.bits}, {"w", r.bits}}, sum, plan);
}

proof::Reference reference(const MultiplierRequest& r, const SumPlan& plan) {
  return sum_of(
      {{"a", r.a_bits}, {"b", r.b_bits}},
      element("a", 0, r.a_bits, r.is_signed) + " * " + element("b", 0, r.b_bits, r.is_signed),
      plan);
}

proof::Reference reference(const SumOfProductsRequest& r, const SumPlan& plan) {
  std::string sum = "0";
  for (std::uint32_t i = 0; i < r.terms; ++i)
    sum += fmt::format(" + {} * {}", element("a", i, r.a_bits, r.is_signed),
                       element("b", i, r.b_bits, r.is_signed));
  return sum_of({{"a", r.terms * r.a_bits}, {"b", r.terms * r.b_bits}}, sum, plan);
}

proof::Reference reference(const ConstDotRequest& r, const SumPlan& plan) {
  const auto n = static_cast<std::uint32_t>(r.weights.size());
  std::string sum = constant(r.constant);
  for (std::uint32_t i = 0; i < n; ++i)
    sum += fmt::format(" + {} * {}", constant(r.weights[i]), element("x", i, r.bits, r.is_signed));
  return sum_of({{"x", n * r.bits}}, sum, plan);
}

proof::Reference reference(const CompressorRequest& r, const SumPlan& plan) {
  std::string sum = constant(r.constant);
  std::vector<Word> in;
  for (const OperandRequest& o : r.operands) {
    const auto port = fmt::format("x{}", in.size());
    in.push_back({port, std::uint64_t{o.count} * o.bits});
    for (std::uint32_t i = 0; i < o.count; ++i)
      sum += fmt::format(" + (({} * {}) <<< {})", constant(o.factor),
                         element(port, i, o.bits, o.is_signed), o.column);
  }
  return sum_of(std::move(in), sum, plan);
}

}  // namespace kumiki::gen::compressor
