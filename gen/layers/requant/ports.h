// SPDX-License-Identifier: Apache-2.0
// The ports of a requantisation: an accumulator in, an operand of the next layer out. Scale, bias
// and zero point have a port (a list of one word) if the configuration leaves them to the stream.
// With several channels, every accumulator comes with the number of its channel.
#pragma once
#include "gen/hdl/ports.h"

namespace kumiki::gen::requant {

template <class R>
struct RequantIn {
  typename R::Bit rst;  // clears the valid bits
  typename R::Bit en;   // 0: everything holds
  typename R::Bit in_valid;
  typename R::SInt acc;
  std::vector<typename R::SInt> scale, bias, zero_point;
  std::vector<typename R::UInt> channel;
  static constexpr auto ports() {
    return std::tuple(port("rst", &RequantIn::rst), port("en", &RequantIn::en),
                      port("in_valid", &RequantIn::in_valid), port("acc", &RequantIn::acc),
                      port("scale", &RequantIn::scale), port("bias", &RequantIn::bias),
                      port("zero_point", &RequantIn::zero_point),
                      port("channel", &RequantIn::channel));
  }
};

// q keeps the last valid result. Its bits are two's complement or unsigned, as in the plan.
template <class R>
struct RequantOut {
  typename R::Bit out_valid;
  typename R::UInt q;
  static constexpr auto ports() {
    return std::tuple(port("out_valid", &RequantOut::out_valid), port("q", &RequantOut::q));
  }
};

}  // namespace kumiki::gen::requant
