// SPDX-License-Identifier: Apache-2.0
// One word of the output, requantised like float32: bias, factor, rounding of the product to 24
// bits, rounding to an integer half to even, zero point, bounds (gen/arith/float_factor.h).
#pragma once
#include <string>

#include "gen/arith/float_factor.h"
#include "gen/hdl/ports.h"

namespace kumiki::gen::requant {

struct FloatLanePlan {
  int data_bits = 8;
  // Port A holds the 24 bits of a float32 alone. A longer factor ends in zeros, and the sum is
  // shifted in its place, which takes a clock.
  bool shifts_sum = false;
  // For slices whose factor on A, in two's complement, has so many bits.
  static FloatLanePlan of(int data_bits, int wide_bits) {
    return {.data_bits = data_bits, .shifts_sum = wide_bits <= arith::FloatFactor::factor_bits};
  }
  int latency() const { return shifts_sum ? 12 : 11; }
  std::string module_name() const;
  bool operator==(const FloatLanePlan&) const = default;
};

template <class R>
struct FloatLaneIn {
  typename R::Bit en;
  typename R::UInt sum, parameter;
  typename R::UInt zero;       // of the word that leaves two clocks later
  typename R::UInt low, high;  // of the word that leaves in the next clock
  static constexpr auto ports() {
    return std::tuple(port("en", &FloatLaneIn::en), port("sum", &FloatLaneIn::sum),
                      port("parameter", &FloatLaneIn::parameter), port("zero", &FloatLaneIn::zero),
                      port("low", &FloatLaneIn::low), port("high", &FloatLaneIn::high));
  }
};
template <class R>
struct FloatLaneOut {
  typename R::UInt q;
  static constexpr auto ports() { return std::tuple(port("q", &FloatLaneOut::q)); }
};
FloatLaneOut<Hardware> build_float_lane(Scope& s, const FloatLanePlan& plan,
                                        const FloatLaneIn<Hardware>& in);

}  // namespace kumiki::gen::requant
