// SPDX-License-Identifier: Apache-2.0
// Runs other programs. Each is the head of a process group of its own and ends with everything that
// it has started: when its time is up, when we are interrupted and when we are killed.
#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backends/support/temporary.h"

namespace kumiki::backends {

struct ProcessResult {
  int status = 0;          // exit status, or 128 + the signal that ended it
  std::string output;      // stdout and stderr as they came
  int signal = 0;          // that ended it, 0: none
  bool timed_out = false;  // by us
};

using Seconds = std::chrono::duration<double>;

// Runs a program found in PATH and waits for it; no shell is involved. After `limit` it is ended;
// with no time at all it is not started. ToolError when it cannot be started: the message names the
// program and says how to get it. Interrupted when somebody wants us to stop.
ProcessResult run_process(const std::vector<std::string>& command,
                          const std::filesystem::path& directory = {},
                          std::optional<Seconds> limit = {});

// The file that PATH leads to, as an absolute path; a name with a slash is a path already.
std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace kumiki::backends
