// SPDX-License-Identifier: Apache-2.0
// Comments for readers of the Verilog.
#pragma once
#include <string_view>

#include "backends/support/text.h"

namespace kumiki::backends::verilog {

// Writes every line as a comment, followed by an empty line; nothing for an empty text.
void write_note(Text& out, std::string_view lines);

}  // namespace kumiki::backends::verilog
