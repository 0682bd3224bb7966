// SPDX-License-Identifier: Apache-2.0
// `--trace FILE`: what the program did and how long each activity took, for viewers of Chrome
// traces (chrome://tracing, Perfetto).
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/support/durable.h"
#include "ir/activity.h"

namespace kumiki::cli {

// The outputs of a command besides its trace.
struct Outputs {
  std::vector<std::filesystem::path> paths = {};
  bool has_force = false, force = false;  // whether files of the user may be replaced
};

class Trace {
 public:
  // Without a file nothing is recorded. FileError if the file exists and must not be replaced;
  // UsageError if it is one of the outputs or lies in one.
  Trace(std::string file, std::string command, const Outputs& outputs);
  // FileError. Call once after the command has ended, successfully or not.
  void write();

 private:
  std::string file_, command_;
  bool force_;
  std::optional<backends::Seen> there_;  // the state of the file at the start
  ir::ActivityLog::Clock::time_point begin_ = ir::ActivityLog::Clock::now();
  std::unique_ptr<ir::ActivityLog> log_;
};

}  // namespace kumiki::cli
