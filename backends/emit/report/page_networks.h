// SPDX-License-Identifier: Apache-2.0
// The networks that run on arrays: the cost of every layer, predicted and measured.
#pragma once
#include <string>

#include "backends/emit/report/page.h"

namespace kumiki::backends {

// Empty if no layer has a network.
std::string networks_section(const Page& page);

}  // namespace kumiki::backends
