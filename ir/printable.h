// SPDX-License-Identifier: Apache-2.0
// Makes names from foreign files safe to print on a terminal.
#pragma once
#include <string>
#include <string_view>

namespace kumiki {

// Writes control characters as \x1B, including those of C1, which take two bytes in UTF-8; and
// those that end a line or turn its direction as \u202E. Everything else is unchanged.
std::string printable(std::string_view text);
// The same of each line of a text.
std::string printable_lines(std::string_view text);

}  // namespace kumiki
