// SPDX-License-Identifier: Apache-2.0
// Names that come from files of others, as they may go to a terminal.
#pragma once
#include <string>
#include <string_view>

namespace kumiki {

// Control characters as \x1B; those of C1 too, which UTF-8 writes in two bytes. All else as it is.
std::string printable(std::string_view text);

}  // namespace kumiki
