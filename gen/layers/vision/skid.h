// SPDX-License-Identifier: Apache-2.0
// A buffer of two beats between parts. Valid and ready both come from registers, so a chain of
// parts is not a chain of LUTs.
#pragma once
#include "gen/layers/vision/ports.h"

namespace kumiki::gen::vision {

struct SkidPlan {
  std::string module_name() const { return "skid"; }
  bool operator==(const SkidPlan&) const = default;
};

GroupOut<Hardware> build_skid(Scope& s, const SkidPlan& plan, const GroupIn<Hardware>& in);

}  // namespace kumiki::gen::vision
