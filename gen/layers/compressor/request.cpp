// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/compressor/request.h"

#include <fmt/format.h>

namespace kumiki::gen::compressor {

using config::field;
using config::TableOf;

namespace {

const char* sign(bool is_signed) { return is_signed ? "s" : "u"; }

}  // namespace

const config::Table& popcount_table() {
  using R = PopcountRequest;
  static const TableOf<R> table =
      tree_table<R>("popcount", "The number of ones among the bits of x.",
                    {field("bits", &R::bits).required().range(1, 65536).help("how many")});
  return table;
}

SumSpec spec(const PopcountRequest& r) {
  SumSpec s{fmt::format("popcount{}", r.bits), {{"x", r.bits, 1, false}}, {}};
  for (unsigned i = 0; i < r.bits; ++i) s.terms.push_back({i, {}});
  return s;
}

const config::Table& xnor_popcount_table() {
  using R = XnorPopcountRequest;
  static const TableOf<R> table = tree_table<R>(
      "xnor_popcount", "How many bits of x and w agree: a window of a binarised convolution.",
      {field("bits", &R::bits).required().range(1, 65536).help("of x and of w"),
       field("reading", &R::reading)
           .choices({{"agreements", Reading::agreements, "the number of equal bits"},
                     {"bipolar", Reading::bipolar, "the sum of products of +1 and -1"}})
           .help("what the sum says")});
  return table;
}

// p agreements of n: the products of +1 and -1 add up to p - (n - p).
SumSpec spec(const XnorPopcountRequest& r) {
  const bool bipolar = r.reading == Reading::bipolar;
  SumSpec s{fmt::format("xnor_popcount{}{}", r.bits, bipolar ? "_bipolar" : ""),
            {{"x", r.bits, 1, false}, {"w", r.bits, 1, false}},
            {},
            bipolar ? -std::int64_t{r.bits} : 0};
  for (unsigned i = 0; i < r.bits; ++i)
    s.terms.push_back({i, r.bits + i, 1, bipolar ? 1u : 0u, true});
  return s;
}

const config::Table& multiplier_table() {
  using R = MultiplierRequest;
  static const TableOf<R> table =
      tree_table<R>("multiplier", "The product of a and b without DSP slices.",
                    {field("a_bits", &R::a_bits).range(1, 30).unit("bits").help("width of a"),
                     field("b_bits", &R::b_bits).range(1, 30).unit("bits").help("width of b"),
                     field("signed", &R::is_signed).help("two's complement operands")});
  return table;
}

SumSpec spec(const MultiplierRequest& r) {
  return {fmt::format("mul{}x{}{}", r.a_bits, r.b_bits, sign(r.is_signed)),
          {{"a", 1, r.a_bits, r.is_signed}, {"b", 1, r.b_bits, r.is_signed}},
          {{0, 1}}};
}

const config::Table& sum_of_products_table() {
  using R = SumOfProductsRequest;
  static const TableOf<R> table = tree_table<R>(
      "sum_of_products", "The sum of a[i]*b[i] without DSP slices, all products on one tree.",
      {field("terms", &R::terms).required().range(1, 1024).help("products"),
       field("a_bits", &R::a_bits).range(1, 30).unit("bits").help("width of every a"),
       field("b_bits", &R::b_bits).range(1, 30).unit("bits").help("width of every b"),
       field("signed", &R::is_signed).help("two's complement operands")});
  return table;
}

SumSpec spec(const SumOfProductsRequest& r) {
  SumSpec s{fmt::format("sop{}_{}x{}{}", r.terms, r.a_bits, r.b_bits, sign(r.is_signed)),
            {{"a", r.terms, r.a_bits, r.is_signed}, {"b", r.terms, r.b_bits, r.is_signed}},
            {}};
  for (unsigned i = 0; i < r.terms; ++i) s.terms.push_back({i, r.terms + i});
  return s;
}

const config::Table& const_dot_table() {
  using R = ConstDotRequest;
  static const TableOf<R> table = tree_table<R>(
      "const_dot",
      "The sum of weights[i]*x[i] plus a constant, weights embedded: shifted words on one tree.",
      {field("weights", &R::weights)
           .required()
           .range(-(1 << 20), 1 << 20)
           .length(1, 4096)
           .or_file()
           .help("one a word of x"),
       field("bits", &R::bits).range(1, 30).unit("bits").help("width of every x"),
       field("signed", &R::is_signed).help("two's complement x"),
       field("constant", &R::constant).range(-(1ll << 40), 1ll << 40).help("added to the sum")});
  return table;
}

SumSpec spec(const ConstDotRequest& r) {
  const auto n = static_cast<std::uint32_t>(r.weights.size());
  SumSpec s{fmt::format("const_dot{}_{}{}", n, r.bits, sign(r.is_signed)),
            {{"x", n, r.bits, r.is_signed}},
            {},
            r.constant};
  for (unsigned i = 0; i < n; ++i) s.terms.push_back({i, {}, r.weights[i]});
  return s;
}

namespace {

const TableOf<OperandRequest>& operand_table() {
  using R = OperandRequest;
  static const TableOf<R> table{
      "operands",
      "Words of one kind: a port of the module.",
      {field("count", &R::count).range(1, 65536).help("words side by side"),
       field("bits", &R::bits).range(1, 62).unit("bits").help("width of every word"),
       field("column", &R::column).range(0, 62).help("where their lowest bit stands"),
       field("signed", &R::is_signed).help("two's complement"),
       field("factor", &R::factor).range(-(1 << 20), 1 << 20).help("what they are multiplied by")}};
  return table;
}

}  // namespace

const config::Table& compressor_table() {
  using R = CompressorRequest;
  static const TableOf<R> table = tree_table<R>(
      "compressor",
      "Any heap: the sum of words, shifted, multiplied, signed or not, and a constant.",
      {field("operands", &R::operands)
           .required()
           .object(operand_table())
           .length(1, 256)
           .help("ports x0, x1, ... of words"),
       field("constant", &R::constant).range(-(1ll << 60), 1ll << 60).help("added to the sum")});
  return table;
}

SumSpec spec(const CompressorRequest& r) {
  SumSpec s{"compressor", {}, {}, r.constant};
  unsigned word = 0;
  for (std::size_t i = 0; i < r.operands.size(); ++i) {
    const OperandRequest& o = r.operands[i];
    s.ports.push_back({fmt::format("x{}", i), o.count, o.bits, o.is_signed});
    s.module += fmt::format("_{}x{}{}", o.count, o.bits, sign(o.is_signed));
    for (unsigned n = 0; n < o.count; ++n) s.terms.push_back({word++, {}, o.factor, o.column});
  }
  if (s.module.size() > 60) s.module = fmt::format("compressor_{}words", word);
  return s;
}

}  // namespace kumiki::gen::compressor
