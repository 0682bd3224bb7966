// SPDX-License-Identifier: Apache-2.0
// An adder whose other operand is one of a few constants.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/hdl/hdl.h"

namespace kumiki::gen::pipeline {

// value + deltas(flags), one LUT for each bit. At most five flags.
template <class F>
UInt add_chosen(Scope& s, const UInt& value, const std::vector<Net>& flags, const F& deltas,
                Net carry_in) {
  std::vector<Net> propagate;
  for (std::uint32_t bit = 0; bit < value.width(); ++bit) {
    Table t{.inputs = static_cast<unsigned>(flags.size() + 1)};
    for (unsigned i = 0; i < 1u << t.inputs; ++i) {
      const auto delta = static_cast<std::uint64_t>(std::int64_t{deltas(i >> 1)});
      t.bits |= ((delta >> bit ^ i) & 1) << i;
    }
    std::vector<Net> in{value[bit]};
    in.insert(in.end(), flags.begin(), flags.end());
    Net p = detail::lut_net(s, t, in, s.at(SourceLocation::current()));
    // A LUT must feed the carry chain.
    if (p == value[bit]) p = Lut{.init = table([](bool b) { return b; }), .in = {p}}.add_to(s);
    propagate.push_back(p);
  }
  return carry_chain(s, bits(s, propagate), value, carry_in).sum;
}

}  // namespace kumiki::gen::pipeline
