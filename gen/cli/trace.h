// SPDX-License-Identifier: Apache-2.0
// `--trace FILE`: what the program did and how long each thing took, for the viewers of Chrome's
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

// What a command writes beside its trace.
struct Outputs {
  std::vector<std::filesystem::path> paths = {};
  bool has_force = false, force = false;  // files of the user's may be replaced
};

class Trace {
 public:
  // Nothing is recorded without a file. FileError when something is there and may not be replaced;
  // UsageError when the file is one of the outputs, or lies in one.
  Trace(std::string file, std::string command, const Outputs& outputs);
  // FileError. Once, when the command has ended, however it did.
  void write();

 private:
  std::string file_, command_;
  bool force_;
  std::optional<backends::Seen> there_;  // what stood there at the beginning
  ir::ActivityLog::Clock::time_point begin_ = ir::ActivityLog::Clock::now();
  std::unique_ptr<ir::ActivityLog> log_;
};

}  // namespace kumiki::cli
