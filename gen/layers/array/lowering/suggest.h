// SPDX-License-Identifier: Apache-2.0
// Suggests an array for a network if the user has not specified one.
#pragma once
#include <string>

#include "gen/layers/array/request.h"

namespace kumiki::gen::array {

// Tries square arrays of 4 to 16 elements a side with 4 or 8 accumulators. Among those within twice
// the fewest clocks, takes the one with the smallest product of slices and clocks for an image.
Request suggested(std::shared_ptr<const graph::Graph> graph, const std::string& file);

}  // namespace kumiki::gen::array
