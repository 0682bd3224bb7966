// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/abc.h"

#include <fmt/format.h>

#include "backends/support/file.h"
#include "backends/support/messages.h"
#include "backends/support/tool.h"

namespace kumiki::backends::proof {

std::optional<std::string> run_abc(const std::filesystem::path& folder, const std::string& script,
                                   unsigned seconds) {
  const auto abc = require({"yosys-abc", "yosys"}).string();
  auto result = run_process({abc, "-c", script}, folder, Seconds(seconds));
  if (result.timed_out) return std::nullopt;
  if (result.status != 0)
    throw ToolError(code::tool_failed,
                    fmt::format("yosys-abc could not answer ({}):\n{}", how_it_ended(result),
                                relevant_lines(result.output)));
  return std::move(result.output);
}

std::vector<bool> digits_in(const std::filesystem::path& file) {
  std::vector<bool> digits;
  for (char c : read_file(file))
    if (c == '0' || c == '1') digits.push_back(c == '1');
  return digits;
}

}  // namespace kumiki::backends::proof
