// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/requant/wide_product.h"

#include "gen/hdl/hdl.h"

namespace kumiki::gen::requant {

UInt wide_product(Scope& s, Dsp48e2 first, Dsp48e2 second, std::uint32_t width, Net en) {
  first.opmode = 0b00'000'01'01;
  first.enable = en;
  const auto of_first = first.add_to(s);
  second.pcin = of_first.pcout;
  second.opmode = 0b00'101'01'01;  // PCIN / 2^17 and the product
  second.enable = en;
  const auto of_second = second.add_to(s);
  const UInt rest = reg(s, of_first.p.slice(0, first_slice_bits), {.enable = en});
  return cat(s, {of_second.p.slice(0, width - first_slice_bits), rest});
}

}  // namespace kumiki::gen::requant
