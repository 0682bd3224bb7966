// SPDX-License-Identifier: Apache-2.0
// The page's section on the throughput of the layers: compared with one product a slice, and as
// plots.
#pragma once
#include <string>

#include "backends/emit/report/page.h"

namespace kumiki::backends {

// Empty if no layer multiplies and none has frames.
std::string throughput_section(const Page& page);

}  // namespace kumiki::backends
