// SPDX-License-Identifier: Apache-2.0
#include "backends/tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "backends/process.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

constexpr int status_of_timeout = 124;  // of coreutils' timeout

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_about_trouble(std::string_view line) {
  for (auto word :
       {"rror", "%Warning", "warning:", "undefined reference", "No such file", "sorry:"})
    if (line.find(word) != std::string_view::npos) return true;
  return false;
}

}  // namespace

std::optional<std::filesystem::path> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    auto end = std::min(rest.find(':'), rest.size());
    auto folder = rest.substr(0, end);
    std::filesystem::path file = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0)
      return file;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

std::filesystem::path require(const Tool& tool) {
  if (auto file = find_program(tool.program)) return *file;
  throw ToolError(
      fmt::format("{} is not in PATH: it is in the Debian package {} (apt-get install {})",
                  tool.program, tool.package, tool.package));
}

std::string run_tool(const Tool& tool, const ToolRun& run, std::string_view doing) {
  std::vector<std::string> command{"timeout", "-k", "10", std::to_string(run.seconds),
                                   require(tool).string()};
  command.insert(command.end(), run.arguments.begin(), run.arguments.end());
  auto result = run_process(command, run.directory);
  if (result.status == status_of_timeout)
    throw TimeIsUp(
        fmt::format("{} could not {} within {} seconds", tool.program, doing, run.seconds));
  if (result.status != 0)
    throw ToolError(fmt::format("{} could not {} (exit status {}):\n{}", tool.program, doing,
                                result.status, relevant_lines(result.output)));
  return std::move(result.output);
}

std::string relevant_lines(std::string_view output, std::size_t most) {
  auto lines = lines_of(output);
  auto first = std::find_if(lines.begin(), lines.end(), is_about_trouble);
  if (first == lines.end())
    first = lines.size() > most ? lines.end() - static_cast<long>(most) : lines.begin();
  auto count = std::min(most, static_cast<std::size_t>(lines.end() - first));
  auto text = fmt::format("{}", fmt::join(first, first + static_cast<long>(count), "\n"));
  if (auto more = static_cast<std::size_t>(lines.end() - first) - count; more > 0)
    text += fmt::format("\n… and {} lines more", more);
  return text;
}

std::string fill(std::string_view text, const std::vector<Filling>& fillings) {
  std::string filled(text);
  for (const auto& f : fillings) {
    auto mark = fmt::format("@{}@", f.key);
    auto at = filled.find(mark);
    if (at == std::string::npos) throw std::out_of_range("a template without " + mark);
    for (; at != std::string::npos; at = filled.find(mark, at + f.text.size()))
      filled.replace(at, mark.size(), f.text);
  }
  return filled;
}

std::string without_date(std::string vcd) {
  if (auto at = vcd.find("$date"); at != std::string::npos)
    if (auto end = vcd.find("$end", at); end != std::string::npos) vcd.erase(at, end + 4 - at);
  return vcd;
}

}  // namespace kumiki::backends
