// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace kumiki::backends {

// A sentence on stderr for whoever runs the program. Nothing depends on its being read: never
// throws.
void notice(std::string_view sentence) noexcept;

}  // namespace kumiki::backends
