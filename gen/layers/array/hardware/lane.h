// SPDX-License-Identifier: Apache-2.0
// One word of the output: bias, multiplier, shift, rounding, saturation.
#pragma once
#include "gen/hdl/ports.h"
#include "gen/layers/array/plan.h"

namespace kumiki::gen::array {

struct LanePlan {
  bool packed = true;
  int sum_bits = 32, data_bits = 8;
  int latency() const;
  std::string module_name() const;
  bool operator==(const LanePlan&) const = default;
};

template <class R>
struct LaneIn {
  typename R::Bit relu;
  typename R::UInt sum, parameter;
  static constexpr auto ports() {
    return std::tuple(port("relu", &LaneIn::relu), port("sum", &LaneIn::sum),
                      port("parameter", &LaneIn::parameter));
  }
};
template <class R>
struct LaneOut {
  typename R::UInt q;
  static constexpr auto ports() { return std::tuple(port("q", &LaneOut::q)); }
};
LaneOut<Hardware> build_lane(Scope& s, const LanePlan& plan, const LaneIn<Hardware>& in);

}  // namespace kumiki::gen::array
