// SPDX-License-Identifier: Apache-2.0
// The ports of a packed dot product. x holds the packed operands (the 27-bit side), y the shared
// ones: operand k of slot j is element k * slots + j. sum holds the results, the packed operand
// fastest. Operands with known values have no port.
#pragma once
#include "gen/hdl/ports.h"

namespace kumiki::gen::dot {

template <class R>
struct DotIn {
  typename R::Bit rst;                 // drops the sets in flight
  typename R::Bit en;                  // 0: everything holds
  typename R::Bit in_valid;            // a set of operands begins; ignored during a set
  std::vector<typename R::UInt> x, y;  // raw bits, signed or unsigned as in the plan
  static constexpr auto ports() {
    return std::tuple(port("rst", &DotIn::rst), port("en", &DotIn::en),
                      port("in_valid", &DotIn::in_valid), port("x", &DotIn::x),
                      port("y", &DotIn::y));
  }
};

template <class R>
struct DotOut {
  typename R::Bit out_valid;
  std::vector<typename R::UInt> sum;
  static constexpr auto ports() {
    return std::tuple(port("out_valid", &DotOut::out_valid),
                      port("sum", &DotOut::sum, &DotOut::out_valid));
  }
};

}  // namespace kumiki::gen::dot
