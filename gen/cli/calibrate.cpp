// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/calibrate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/support/file.h"
#include "backends/support/messages.h"
#include "backends/support/process.h"
#include "backends/support/tool.h"
#include "gen/cli/command.h"
#include "gen/flow/explain/all_messages.h"
#include "gen/onnx/import.h"
#include "ir/activity.h"

namespace kumiki::cli {
namespace {

namespace fs = std::filesystem;

const backends::Tool python{"python3", "python3"};

std::vector<std::string> command_of(const fs::path& script, const fs::path& model,
                                    const CalibrationOptions& o, const fs::path& out,
                                    const fs::path& report) {
  // Joined, so that no value is taken for an option.
  std::vector<std::string> words{backends::require(python), script, "--calibrate=" + o.images,
                                 "--out=" + out.string(), "--report=" + report.string()};
  if (!o.labels.empty()) words.push_back("--labels=" + o.labels);
  for (const double value : o.mean) words.push_back(fmt::format("--mean={}", value));
  for (const double value : o.deviation) words.push_back(fmt::format("--std={}", value));
  words.insert(words.end(), {"--", model});
  return words;
}

// The last whole line so far says what is being done.
class Progress {
 public:
  explicit Progress(const fs::path& model)
      : activity_("running onnxruntime's quantiser on " + model.string()) {}
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

std::optional<std::int64_t> count(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<std::int64_t>());
}

CalibrationReport report_of(const Json& told) {
  CalibrationReport report{.calibrated = told.at("calibrated"),
                           .measured = told.at("measured"),
                           .held_back = told.at("held_back"),
                           .float_right = count(told.at("float_right")),
                           .right = count(told.at("right")),
                           .equal = count(told.at("equal")),
                           .warnings = told.at("warnings"),
                           .text = told.at("text")};
  for (const auto& [name, value] : told.at("noise").items())
    report.noise.push_back(
        {name, value.is_null() ? std::nullopt : std::optional(value.get<double>())});
  return report;
}

}  // namespace

void write(gen::config::Writer& w, const CalibrationReport& report) {
  w.member("calibrated", report.calibrated);
  w.member("measured", report.measured);
  w.member("held_back", report.held_back);
  w.member("float_right", report.float_right);
  w.member("right", report.right);
  w.member("equal", report.equal);
  w.object("noise", [&] {
    for (const auto& noise : report.noise) w.member(noise.result, noise.decibels);
  });
  w.member("warnings", report.warnings);
}

Calibrated::Calibrated(const fs::path& model, const CalibrationOptions& options)
    // Its stem names a graph that has no name of its own.
    : model_(folder_.path() / (model.stem().string() + ".onnx")) {
  const fs::path inputs = folder_.path() / "python";
  fs::create_directory(inputs);
  const fs::path script = inputs / "quantiser.py", told = inputs / "report.json";
  backends::write_file(script, quantiser::entries[0].text);
  Progress progress(model);
  const auto result = backends::run_process(command_of(script, model, options, model_, told), {},
                                            {}, [&](std::string_view t) { progress.hear(t); });
  // Without a report it did not end by itself.
  if (!fs::exists(told))
    throw ToolError(
        code::tool_failed,
        fmt::format("{} could not quantise {} ({}):\n{}", python.program, model.string(),
                    backends::how_it_ended(result), backends::relevant_lines(result.output)));
  const Json report = Json::parse(backends::read_file(told));
  if (result.status != ok) refuse(result.status, report);
  report_ = report_of(report);
}

}  // namespace kumiki::cli
