// SPDX-License-Identifier: Apache-2.0
// The networks that run on arrays: what every layer takes, predicted and measured.
#pragma once
#include <string>

#include "backends/emit/report/page.h"

namespace kumiki::backends {

// Empty when no layer has a network.
std::string networks_section(const Page& page);

}  // namespace kumiki::backends
