// SPDX-License-Identifier: Apache-2.0
// Programs that we start.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace kumiki::backends {

struct ProcessResult {
  int status = 0;      // exit status, or 128 + the signal that ended it
  std::string output;  // stdout and stderr as they came
};

// Runs a program found in PATH and waits for it; no shell is involved. ToolError when it cannot be
// started: the message names the program and says how to get it.
ProcessResult run_process(const std::vector<std::string>& command,
                          const std::filesystem::path& directory = {});

// A folder that exists as long as the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kumiki::backends
