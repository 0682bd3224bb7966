// SPDX-License-Identifier: Apache-2.0
// Starting the programs that tests compare with.
#pragma once
#include <string>

namespace kumiki::tests {

// Throws ToolError with everything the program said (kept in the file `log`) when it fails.
void run_tool(const std::string& command, const std::string& log);

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

}  // namespace kumiki::tests
