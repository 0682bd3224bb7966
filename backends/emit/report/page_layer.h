// SPDX-License-Identifier: Apache-2.0
// A layer's section of the page.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "backends/emit/report/page.h"

namespace kumiki::backends {

std::string layer_section(const PageLayer& layer, const Json& report, std::size_t index);

// 0 if there is no such key.
std::uint64_t count_of(const Json& object, const char* key);

// A value for people: text without quotes, rounded numbers, long lists shortened.
std::string shown(const Json& value, int indent = -1);

}  // namespace kumiki::backends
