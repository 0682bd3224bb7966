// SPDX-License-Identifier: Apache-2.0
// The page's part on layers without DSP slices: against what Yosys makes of their definition.
#pragma once
#include <string>

#include "backends/emit/report/page.h"

namespace kumiki::backends {

// Empty when every layer has DSP slices.
std::string fabric_section(const Page& page);

}  // namespace kumiki::backends
