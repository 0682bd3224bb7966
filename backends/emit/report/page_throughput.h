// SPDX-License-Identifier: Apache-2.0
// The page's part on what the layers do in a clock: against one product a slice, and as plots.
#pragma once
#include <string>

#include "backends/emit/report/page.h"

namespace kumiki::backends {

// Empty when no layer multiplies and none has frames.
std::string throughput_section(const Page& page);

}  // namespace kumiki::backends
