// SPDX-License-Identifier: Apache-2.0
// Runs other programs. Each leads its own process group and ends with everything that it has
// started: on a time-out, when this program is interrupted and when it is killed.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/support/temporary.h"

namespace kumiki::backends {

struct ProcessResult {
  int status = 0;          // exit status, or 128 + the signal that ended it
  std::string output;      // stdout and stderr in the order of arrival
  int signal = 0;          // the signal that ended it; 0: none
  bool timed_out = false;  // by us
};

using Seconds = std::chrono::duration<double>;

// Runs a program found in PATH, without a shell, and waits for it. It is ended after `limit`; with
// no time at all it is not started. ToolError if it cannot be started: the message names the
// program and tells how to get it. Interrupted on a request to stop. `hear` gets the output piece
// by piece, as it arrives.
ProcessResult run_process(const std::vector<std::string>& command,
                          const std::filesystem::path& directory = {},
                          std::optional<Seconds> limit = {},
                          const std::function<void(std::string_view)>& hear = {});

// The absolute path of the file in PATH; a name with a slash is a path already.
std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace kumiki::backends
