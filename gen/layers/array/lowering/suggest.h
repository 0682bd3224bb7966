// SPDX-License-Identifier: Apache-2.0
// An array for a network whose user has not said which.
#pragma once
#include <string>

#include "gen/layers/array/request.h"

namespace kumiki::gen::array {

// Square arrays of 4 to 16 elements a side with 4 or 8 accumulators: the one that takes the fewest
// slices times clocks an image, of those that are within twice the fewest clocks of all.
Request suggested(std::shared_ptr<const graph::Graph> graph, const std::string& file);

}  // namespace kumiki::gen::array
