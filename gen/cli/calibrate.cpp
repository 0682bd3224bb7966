// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/calibrate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gen/cli/script.h"

namespace kumiki::cli {
namespace {

namespace fs = std::filesystem;

// Joined, so that no value is taken for an option.
std::vector<std::string> arguments_of(const fs::path& model, const CalibrationOptions& o,
                                      const fs::path& out) {
  std::vector<std::string> words{"--calibrate=" + o.images, "--out=" + out.string()};
  if (!o.labels.empty()) words.push_back("--labels=" + o.labels);
  for (const double value : o.mean) words.push_back(fmt::format("--mean={}", value));
  for (const double value : o.deviation) words.push_back(fmt::format("--std={}", value));
  words.insert(words.end(), {"--", model});
  return words;
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
    : model_(folder_.path() / (model.stem().string() + ".onnx")),
      report_(report_of(run_script(
          "quantiser.py", fmt::format("running onnxruntime's quantiser on {}", model.string()),
          arguments_of(model, options, model_)))) {}

}  // namespace kumiki::cli
