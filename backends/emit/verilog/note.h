// SPDX-License-Identifier: Apache-2.0
// Lines for whoever reads the Verilog.
#pragma once
#include <string_view>

#include "backends/support/text.h"

namespace kumiki::backends::verilog {

// Every line of it as a comment, and an empty line behind; nothing for an empty one.
void write_note(Text& out, std::string_view lines);

}  // namespace kumiki::backends::verilog
