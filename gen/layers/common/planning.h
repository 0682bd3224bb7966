// SPDX-License-Identifier: Apache-2.0
// What layers of packed products have in common when they are planned: what the target allows, and
// how a refusal of the planner is said.
#pragma once
#include <string>

#include "gen/blocks/packing/planner.h"
#include "gen/config/document.h"

namespace kumiki::gen {

packing::Limits limits_of(const config::Target& target);

// Of the scheme that was asked for; at `key`, where none was.
config::Violation scheme_refused(const packing::Refusal& refusal);
config::Violation every_scheme_refused(const std::string& key, const packing::Refusal& refusal);
// "legal is: a chain within one column"
std::string legal_instead(const packing::Refusal& refusal);

}  // namespace kumiki::gen
