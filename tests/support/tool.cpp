// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tool.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "backends/support/messages.h"
#include "ir/error.h"

namespace kumiki::tests {

void run_tool(const std::string& command, const std::string& log) {
  if (std::system(fmt::format("{} >'{}' 2>&1", command, log).c_str()) != 0)
    throw ToolError(code::tool_failed, fmt::format("{}\n{}", command, read_text(log)));
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw FileError(code::file_not_written, "cannot write " + path);
}

}  // namespace kumiki::tests
