// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/lut_macc/build.h"

#include <fmt/format.h>

#include "gen/blocks/packing/hardware/control.h"
#include "gen/blocks/packing/hardware/sum.h"
#include "gen/layers/lut_macc/product.h"

namespace kumiki::gen::lut_macc {
namespace {

UInt total(Scope& s, const Plan& p, const std::vector<packing::Addend>& products, Net enable) {
  const auto width = static_cast<std::uint32_t>(p.sum_bits);
  if (p.request.sum == Sum::tree && products.size() > 1)
    return packing::to_width(s, packing::sum(s, products, p.tree, enable), width);
  const packing::Stagger stagger{products.size() > 1 ? width : 1, enable};
  packing::Addend all = packing::staggered(s, products.front(), stagger);
  for (std::size_t i = 1; i < products.size(); ++i) {
    all = packing::add(s, all, packing::staggered(s, products[i], stagger), ir::net_zero, stagger);
    all.bits = reg(s, UInt(all.bits), {.enable = enable});
  }
  return packing::to_width(s, packing::level(s, all, stagger), width);
}

}  // namespace

MaccOut<Hardware> build(Scope& s, const Plan& p, const MaccIn<Hardware>& in) {
  const Request& r = p.request;
  s.module().set_about(fmt::format("{} products of {} x {} bits in LUTs, latency {}", r.terms,
                                   r.a.bits, r.b.bits, p.latency()));
  std::vector<packing::Addend> products;
  for (std::size_t i = 0; i < in.a.size(); ++i) {
    s.remark(fmt::format("term {}: a * b", i));
    products.push_back({.bits = product(s, p, in.a[i], in.b[i], in.en),
                        .is_signed = p.product.lo < 0,
                        .range = p.product});
    s.named(fmt::format("product{}", i), UInt(products.back().bits));
  }
  s.remark("the sum of the products");
  return {.out_valid = packing::delayed_valid(s, in.in_valid, p.latency(), in.en, in.rst),
          .sum = total(s, p, products, in.en)};
}

}  // namespace kumiki::gen::lut_macc
