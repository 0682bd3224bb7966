// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/mul/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/pipeline/machines/table.h"
#include "ir/error.h"

namespace kumiki::gen::pipeline {
namespace {

arith::Interval less_zero(const arith::Format& format, std::int64_t zero) {
  return format.range() - arith::Exact{zero};
}

SInt widened(Scope& s, const UInt& raw, const arith::Format& format, std::uint32_t width) {
  return format.is_signed ? sext(s, as_signed(raw), width) : as_signed(zext(s, raw, width));
}

}  // namespace

arith::Interval Factors::products() const { return less_zero(a, zero_a) * less_zero(b, zero_b); }

UInt product_in_slice(Scope& s, const Factors& f, const UInt& a, const UInt& b, Net takes_a,
                      Net takes_b, Net moves) {
  // The operand on B has the zero point 0 if one of them has.
  if (f.zero_b != 0 && f.zero_a == 0)
    return product_in_slice(s, {f.b, f.a, f.zero_b, f.zero_a}, b, a, takes_b, takes_a, moves);
  const auto bits =
      static_cast<std::uint32_t>(arith::signed_bits(hull(f.b.range(), less_zero(f.b, f.zero_b))));
  // What comes in has passed a LUT already, so the subtraction is behind a register.
  SInt factor = widened(s, f.zero_b == 0 ? b : reg(s, b, {.enable = takes_b}), f.b, bits);
  if (f.zero_b != 0) factor = add(s, factor, SInt(s.signed_constant(-f.zero_b, bits)));
  const Dsp48e2 slice{.attributes = {.areg = 0,
                                     .acascreg = 0,
                                     .breg = static_cast<std::uint8_t>(f.zero_b == 0 ? 2 : 1),
                                     .amultsel = ir::dsp48e2::AMultSel::ad},
                      .a = s.signed_constant(-f.zero_a, dsp48e2.a),
                      .b = sext(s, factor, dsp48e2.b),
                      .d = widened(s, a, f.a, dsp48e2.d),
                      .opmode = 0b00'000'01'01,  // the product
                      .inmode = 0b00100,         // A + D
                      .enable = moves,
                      .ceb1 = f.zero_b == 0 ? takes_b : ir::net_open,
                      .ced = takes_a};
  return as_unsigned(slice.add_to(s).p).slice(0, static_cast<std::uint32_t>(f.product().bits));
}

std::string MulPlan::text() const {
  return fmt::format("products of {} and {} bits in {} lanes", a.format.bits, b.format.bits,
                     a.lanes);
}

std::string MulPlan::module_name() const {
  return fmt::format("mul{}_{}_{}", a.lanes, a.format.bits, b.format.bits);
}

MachineOut<Hardware> build(Scope& s, const MulPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  Stages stages(s, in, p.a.lanes, p.schedule());
  std::vector<UInt> products;
  for (std::int64_t i = 0; i < p.a.lanes; ++i) {
    const auto lane = static_cast<std::size_t>(i), lanes = static_cast<std::size_t>(p.a.lanes);
    products.push_back(product_in_slice(s, p.factors(), in.in_data[lane], in.in_data[lanes + lane],
                                        stages.takes(i, 0), stages.takes(i, 1), stages.moves(i)));
  }
  return stages.leave(products);
}

Lanes beat(const MulPlan& p, std::int64_t k, const Taken& in) {
  const auto a = in.at(0, k), b = in.at(1, k);
  Lanes all;
  for (std::size_t i = 0; i < a.size(); ++i)
    all.push_back(arith::raw_of((arith::value_of(a[i], p.a.format) - p.zero_a) *
                                    (arith::value_of(b[i], p.b.format) - p.zero_b),
                                p.output().format));
  return all;
}

std::optional<RequantisePlan> requantised_products(const graph::Graph& g, const graph::Node& node,
                                                   const MulPlan& p,
                                                   const packing::Limits& limits) {
  if (p.a.format.bits + p.b.format.bits <= most_bits_in_luts) return {};
  const graph::Tensor &a = g.tensors[node.inputs[0]], &b = g.tensors[node.inputs[1]],
                      &out = g.tensors[node.output];
  try {
    return requantise(node, p.output(), out.format,
                      {.rule = graph::rule_of_mul(a, b, out), .accumulators = p.products()},
                      limits);
  } catch (const DesignError&) {
    return {};
  }
}

AddPlan table_of_products(const graph::Graph& g, const graph::Node& node, const MulPlan& p) {
  const graph::Tensor &a = g.tensors[node.inputs[0]], &b = g.tensors[node.inputs[1]],
                      &out = g.tensors[node.output];
  const bool in_luts = p.a.format.bits + p.b.format.bits <= most_bits_in_luts;
  AddPlan table{.name = graph::Mul::name,
                .a = p.a,
                .b = p.b,
                .format = out.format,
                .form = in_luts ? AddForm::luts : AddForm::memory,
                .rule = {},
                .results = {}};
  for (int i = 0; i < 1 << a.format.bits; ++i)
    for (int k = 0; k < 1 << b.format.bits; ++k)
      table.results.push_back(
          static_cast<std::int16_t>(graph::multiplied(a, b, out, lowest(a) + i, lowest(b) + k)));
  return table;
}

}  // namespace kumiki::gen::pipeline
