// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace kumiki::backends {

// Prints a sentence on stderr for the user. Nothing depends on it: never throws.
void notice(std::string_view sentence) noexcept;

}  // namespace kumiki::backends
