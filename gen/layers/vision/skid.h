// SPDX-License-Identifier: Apache-2.0
// Two beats of room between parts, so that valid and ready both come from registers: a chain of
// parts is no chain of LUTs.
#pragma once
#include "gen/layers/vision/ports.h"

namespace kumiki::gen::vision {

struct SkidPlan {
  std::string module_name() const { return "skid"; }
  bool operator==(const SkidPlan&) const = default;
};

GroupOut<Hardware> build_skid(Scope& s, const SkidPlan& plan, const GroupIn<Hardware>& in);

}  // namespace kumiki::gen::vision
