// SPDX-License-Identifier: Apache-2.0
// The bits of a word as LUTs: two of them that have five nets together are one LUT6_2.
#pragma once
#include <vector>

#include "gen/hdl/cone.h"
#include "gen/hdl/word.h"

namespace kumiki::gen::detail {

// Equal functions are one net.
UInt lut_pairs(Scope& s, std::vector<Cone> bits, PlaceId at);

}  // namespace kumiki::gen::detail
