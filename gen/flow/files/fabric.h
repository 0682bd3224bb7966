// SPDX-License-Identifier: Apache-2.0
// Layers without a DSP slice: their LUT sites and carries.
#pragma once
#include <optional>

#include "gen/flow/files/page.h"

namespace kumiki::flow {

// {luts, carries} of a layer with all that is in it; nothing when it has DSP slices. Sites that
// only bring a bit into a carry chain are counted too.
std::optional<Json> fabric_of(const Project& project, std::size_t layer);

}  // namespace kumiki::flow
