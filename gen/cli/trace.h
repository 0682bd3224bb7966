// SPDX-License-Identifier: Apache-2.0
// `--trace FILE`: what the program did and how long each thing took, for the viewers of Chrome's
// traces (chrome://tracing, Perfetto).
#pragma once
#include <memory>
#include <string>

#include "ir/activity.h"

namespace kumiki::cli {

class Trace {
 public:
  // Nothing is recorded without a file. FileError when the file is there and is no trace.
  Trace(std::string file, std::string command);
  // FileError. Once, when the command has ended, however it did.
  void write();

 private:
  std::string file_, command_;
  ir::ActivityLog::Clock::time_point begin_ = ir::ActivityLog::Clock::now();
  std::unique_ptr<ir::ActivityLog> log_;
};

}  // namespace kumiki::cli
