// SPDX-License-Identifier: Apache-2.0
// The page's section on layers without DSP slices, compared with Yosys' result for their
// definition.
#pragma once
#include <string>

#include "backends/emit/report/page.h"

namespace kumiki::backends {

// Empty if every layer has DSP slices.
std::string fabric_section(const Page& page);

}  // namespace kumiki::backends
