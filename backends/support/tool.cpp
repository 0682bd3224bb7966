// SPDX-License-Identifier: Apache-2.0
#include "backends/support/tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "backends/support/messages.h"
#include "ir/activity.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

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

std::string mark_of(const Filling& f) { return fmt::format("@{}@", f.key); }

}  // namespace

std::filesystem::path require(const Tool& tool) {
  if (auto file = find_program(tool.program)) return *file;
  throw ToolError(
      code::tool_missing,
      fmt::format("{} is not in PATH: it is in the Debian package {} (apt-get install {})",
                  tool.program, tool.package, tool.package));
}

std::string run_tool(const Tool& tool, const ToolRun& run, std::string_view doing) {
  std::vector<std::string> command{require(tool).string()};
  command.insert(command.end(), run.arguments.begin(), run.arguments.end());
  const ir::Activity activity(fmt::format("waiting for {} to {}", tool.program, doing));
  auto result = run_process(command, run.directory, Seconds(run.seconds));
  if (result.timed_out)
    throw TimeIsUp(code::tool_time_up, fmt::format("{} could not {} within {} seconds",
                                                   tool.program, doing, run.seconds));
  if (result.status != 0)
    throw ToolError(code::tool_failed,
                    fmt::format("{} could not {} ({}):\n{}", tool.program, doing,
                                how_it_ended(result), relevant_lines(result.output)));
  return std::move(result.output);
}

std::string how_it_ended(const ProcessResult& result) {
  if (result.timed_out) return "its time was up";
  if (result.signal == 0) return fmt::format("exit status {}", result.status);
  return fmt::format(
      "ended by signal {}, {}{}", result.signal, ::strsignal(result.signal),
      result.signal == SIGKILL ? "; kumiki did not end it (perhaps out of memory)" : "");
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
  std::string filled;
  std::vector<bool> used(fillings.size(), false);
  // From front to back: a mark inside the user's inserted text must stay unchanged.
  while (!text.empty()) {
    std::size_t at = text.size(), which = fillings.size();
    for (std::size_t i = 0; i < fillings.size(); ++i)
      if (const auto found = text.find(mark_of(fillings[i])); found < at) at = found, which = i;
    filled += text.substr(0, at);
    if (which == fillings.size()) break;
    filled += fillings[which].text;
    used[which] = true;
    text.remove_prefix(at + mark_of(fillings[which]).size());
  }
  if (const auto unused = std::find(used.begin(), used.end(), false); unused != used.end())
    throw std::out_of_range("a template without " +
                            mark_of(fillings[static_cast<std::size_t>(unused - used.begin())]));
  return filled;
}

std::string without_date(std::string vcd) {
  if (auto at = vcd.find("$date"); at != std::string::npos)
    if (auto end = vcd.find("$end", at); end != std::string::npos) vcd.erase(at, end + 4 - at);
  return vcd;
}

}  // namespace kumiki::backends
