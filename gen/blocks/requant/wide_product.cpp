// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/requant/wide_product.h"

#include "gen/hdl/hdl.h"

namespace kumiki::gen::requant {
namespace {

struct Parts {
  SInt upper;
  UInt lower;  // a clock earlier
};

Parts parts_of(Scope& s, Dsp48e2 first, Dsp48e2 second, Net en) {
  first.opmode = 0b00'000'01'01;
  first.enable = en;
  const auto of_first = first.add_to(s);
  if (second.attributes.a_input == ir::dsp48e2::Path::cascade) second.acin = of_first.acout;
  second.pcin = of_first.pcout;
  second.opmode |= 0b00'101'01'01;  // PCIN / 2^17 and the product
  second.enable = en;
  return {second.add_to(s).p, as_unsigned(of_first.p).slice(0, first_slice_bits)};
}

}  // namespace

SInt upper_product(Scope& s, const Dsp48e2& first, const Dsp48e2& second, Net en) {
  return parts_of(s, first, second, en).upper;
}

UInt wide_product(Scope& s, const Dsp48e2& first, const Dsp48e2& second, std::uint32_t width,
                  Net en) {
  const Parts parts = parts_of(s, first, second, en);
  const UInt rest = reg(s, parts.lower, {.enable = en});
  return cat(s, {parts.upper.slice(0, width - first_slice_bits), rest});
}

}  // namespace kumiki::gen::requant
