// SPDX-License-Identifier: Apache-2.0
// A plan for programs: the keys are those of the report.
#pragma once
#include <nlohmann/json.hpp>

#include "gen/blocks/packing/plan.h"

namespace kumiki::gen::packing {

nlohmann::ordered_json to_json(const PackingPlan& plan);
nlohmann::ordered_json to_json(const Certificate& certificate);

}  // namespace kumiki::gen::packing
