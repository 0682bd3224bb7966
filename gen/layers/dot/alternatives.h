// SPDX-License-Identifier: Apache-2.0
// What else the planner could do for a dot product: every proved plan, best first, and why the
// others cannot be had.
#pragma once
#include <string>
#include <vector>

#include "gen/blocks/packing/planner.h"
#include "gen/layer/layer.h"

namespace kumiki::gen::dot {

struct Alternatives {
  std::vector<packing::PackingPlan> plans;
  std::vector<packing::Refusal> refused;  // each said once
};

Alternatives alternatives(const packing::Request& request);

std::string to_text(const Alternatives& all);
void write(config::Writer& w, const Alternatives& all);

}  // namespace kumiki::gen::dot
