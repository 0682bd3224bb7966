// SPDX-License-Identifier: Apache-2.0
// The other plans for a dot product: every proved plan, best first, and why the others are
// impossible.
#pragma once
#include <string>
#include <vector>

#include "gen/blocks/packing/planner.h"
#include "gen/layer/layer.h"

namespace kumiki::gen::dot {

struct Alternatives {
  std::vector<packing::PackingPlan> plans;
  std::vector<packing::Refusal> refused;  // without repetitions
};

Alternatives alternatives(const packing::Request& request);

std::string to_text(const Alternatives& all);
void write(config::Writer& w, const Alternatives& all);

}  // namespace kumiki::gen::dot
