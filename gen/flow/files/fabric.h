// SPDX-License-Identifier: Apache-2.0
// LUT sites and carries of layers without DSP slices.
#pragma once
#include <optional>

#include "gen/flow/files/page.h"

namespace kumiki::flow {

// {luts, carries} of a layer with everything in it; empty if it has DSP slices. Includes sites that
// only route a bit into a carry chain.
std::optional<Json> fabric_of(const Project& project, std::size_t layer);

}  // namespace kumiki::flow
