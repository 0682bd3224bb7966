// SPDX-License-Identifier: Apache-2.0
// Programs that we start.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "backends/temporary.h"

namespace kumiki::backends {

struct ProcessResult {
  int status = 0;      // exit status, or 128 + the signal that ended it
  std::string output;  // stdout and stderr as they came
};

// Runs a program found in PATH and waits for it; no shell is involved. ToolError when it cannot be
// started: the message names the program and says how to get it.
ProcessResult run_process(const std::vector<std::string>& command,
                          const std::filesystem::path& directory = {});

}  // namespace kumiki::backends
