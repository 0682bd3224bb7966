// SPDX-License-Identifier: Apache-2.0
// The array as a map: its elements, which of them share a slice, the parts for small maps, and the
// streams.
#pragma once
#include <string>

#include "gen/layers/array/plan.h"

namespace kumiki::gen::array {

// Equal rows share one line; a letter is an element, a word the elements of a slice.
std::string map_text(const ArrayPlan& plan);
std::string map_svg(const ArrayPlan& plan);

}  // namespace kumiki::gen::array
