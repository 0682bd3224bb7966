// SPDX-License-Identifier: Apache-2.0
// Planning shared by all layers of packed products: the limits of the target, and the planner's
// refusals as messages about the configuration.
#pragma once
#include <string>

#include "gen/blocks/packing/planner.h"
#include "gen/config/document.h"

namespace kumiki::gen {

packing::Limits limits_of(const config::Target& target);

// A refusal at key "scheme", for a scheme that the user chose; and one at `key`, if no scheme fits.
config::Violation scheme_refused(const packing::Refusal& refusal);
config::Violation every_scheme_refused(const std::string& key, const packing::Refusal& refusal);
// "use a chain within one column"
std::string legal_instead(const packing::Refusal& refusal);

}  // namespace kumiki::gen
