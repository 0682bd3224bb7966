// SPDX-License-Identifier: Apache-2.0
// The bits of a word as LUTs: two bits that together have five nets are one LUT6_2.
#pragma once
#include <vector>

#include "gen/hdl/cone.h"
#include "gen/hdl/scope.h"
#include "gen/hdl/word.h"

namespace kumiki::gen::detail {

// Equal functions become one net.
UInt lut_pairs(Scope& s, std::vector<Cone> bits, PlaceId at);

}  // namespace kumiki::gen::detail
