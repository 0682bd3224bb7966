// SPDX-License-Identifier: Apache-2.0
// Has onnxruntime quantise a float model, by gen/python/kumiki/quantiser.py.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backends/support/temporary.h"
#include "gen/config/writer.h"

namespace kumiki::cli {

struct CalibrationOptions {
  std::string images, labels;           // a file or a folder; a file
  std::vector<double> mean, deviation;  // of pictures
};

// What quantising cost, measured by onnxruntime.
struct CalibrationReport {
  struct Noise {
    std::string result;
    std::optional<double> decibels;  // none: all values are equal
  };
  std::int64_t calibrated = 0, measured = 0;  // images
  bool held_back = false;                     // the measured images are others
  std::optional<std::int64_t> float_right, right, equal;
  std::vector<Noise> noise;
  std::vector<std::string> warnings;
  std::string text;  // all but the warnings, for people
};
void write(gen::config::Writer& w, const CalibrationReport& report);

class Calibrated {
 public:
  // The mistakes of its caller and of files, with their codes; ToolError: Python, or a module of
  // it, is missing or failed.
  Calibrated(const std::filesystem::path& model, const CalibrationOptions& options);
  const std::filesystem::path& model() const { return model_; }  // the quantised one
  const CalibrationReport& report() const { return report_; }

 private:
  backends::TemporaryFolder folder_;
  std::filesystem::path model_;
  CalibrationReport report_;
};

}  // namespace kumiki::cli
