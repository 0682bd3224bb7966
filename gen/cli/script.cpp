// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/script.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

#include "backends/support/file.h"
#include "backends/support/messages.h"
#include "backends/support/process.h"
#include "backends/support/temporary.h"
#include "backends/support/tool.h"
#include "gen/flow/explain/all_messages.h"
#include "gen/onnx/import.h"
#include "ir/activity.h"

namespace kumiki::cli {
namespace {

namespace fs = std::filesystem;

const backends::Tool python{"python3", "python3"};

// The last whole line so far says what is being done.
class ScriptProgress {
 public:
  explicit ScriptProgress(const std::string& doing) : activity_(doing) {}
  void hear(std::string_view more) {
    line_ += more;
    const auto end = line_.rfind('\n');
    if (end == std::string::npos) return;
    const auto begin = end == 0 ? std::string::npos : line_.rfind('\n', end - 1);
    activity_.at(line_.substr(begin + 1, end - begin - 1));  // npos + 1 is 0
    line_.erase(0, end + 1);
  }

 private:
  ir::Activity activity_;
  std::string line_;
};

[[noreturn]] void refuse(int status, const Json& told) {
  const std::string word = told.at("code"), text = told.at("text");
  const Message* message = flow::find_message(word);
  const Code code = message ? Code(*message) : Code(code::tool_failed);
  if (status == usage) throw UsageError(code, text);
  if (status == configuration) throw gen::onnx::Refused(code, text);
  throw ToolError(code, text);
}

}  // namespace

Json run_script(std::string_view script, const std::string& doing,
                const std::vector<std::string>& arguments) {
  const backends::TemporaryFolder folder;
  const fs::path file = folder.path() / script, told = folder.path() / "report.json";
  const std::span all(scripts::entries, scripts::entry_count);
  backends::write_file(file, std::ranges::find(all, script, &scripts::Entry::path)->text);
  std::vector<std::string> words{backends::require(python), file, "--report=" + told.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ScriptProgress progress(doing);
  const auto result =
      backends::run_process(words, {}, {}, [&](std::string_view t) { progress.hear(t); });
  // Without a report it did not end by itself.
  if (!fs::exists(told))
    throw ToolError(code::tool_failed, fmt::format("{} failed while {} ({}):\n{}", python.program,
                                                   doing, backends::how_it_ended(result),
                                                   backends::relevant_lines(result.output)));
  const Json report = Json::parse(backends::read_file(told));
  if (result.status != ok) refuse(result.status, report);
  return report;
}

}  // namespace kumiki::cli
