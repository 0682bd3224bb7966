// SPDX-License-Identifier: Apache-2.0
// Names of pixel operations.
#pragma once
#include <string>

#include "gen/layers/vision/pixel/requests.h"

namespace kumiki::gen::vision {

// A request with all its values, for a module's name: "threshold_gt127_255_0".
std::string name_of(const PixelRequest& request);

}  // namespace kumiki::gen::vision
