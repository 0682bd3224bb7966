// SPDX-License-Identifier: Apache-2.0
// The ports of a sum of products in LUTs. Every in_valid begins a set of operands; operand i of a
// set comes `lateness(i)` clocks after it (plan.h).
#pragma once
#include "gen/hdl/ports.h"

namespace kumiki::gen::lut_macc {

template <class R>
struct MaccIn {
  typename R::Bit rst;                 // drops the sets in flight
  typename R::Bit en;                  // 0: everything holds
  typename R::Bit in_valid;            // a set of operands begins
  std::vector<typename R::UInt> a, b;  // raw bits, signed or unsigned as in the plan
  static constexpr auto ports() {
    return std::tuple(port("rst", &MaccIn::rst), port("en", &MaccIn::en),
                      port("in_valid", &MaccIn::in_valid), port("a", &MaccIn::a),
                      port("b", &MaccIn::b));
  }
};

template <class R>
struct MaccOut {
  typename R::Bit out_valid;
  typename R::UInt sum;  // raw bits
  static constexpr auto ports() {
    return std::tuple(port("out_valid", &MaccOut::out_valid),
                      port("sum", &MaccOut::sum, &MaccOut::out_valid));
  }
};

}  // namespace kumiki::gen::lut_macc
