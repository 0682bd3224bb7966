// SPDX-License-Identifier: Apache-2.0
// `--trace FILE`: what the program did and how long each activity took, for viewers of Chrome
// traces (chrome://tracing, Perfetto).
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ir/activity.h"

namespace kumiki::cli {

class Trace {
 public:
  // Without a file nothing is recorded. `outputs`: what the command writes besides. FileError if
  // the file exists: it may be what the command reads, so it is never replaced. UsageError if it is
  // one of the outputs or lies in one.
  Trace(std::string file, std::string command, const std::vector<std::filesystem::path>& outputs);
  // FileError. Call once after the command has ended, successfully or not.
  void write();

 private:
  std::string file_, command_;
  ir::ActivityLog::Clock::time_point begin_ = ir::ActivityLog::Clock::now();
  std::unique_ptr<ir::ActivityLog> log_;
};

}  // namespace kumiki::cli
