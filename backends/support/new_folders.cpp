// SPDX-License-Identifier: Apache-2.0
#include "backends/support/new_folders.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "backends/support/messages.h"
#include "ir/error.h"

namespace kumiki::backends {

namespace fs = std::filesystem;

NewFolders::NewFolders(const fs::path& folder) {
  fs::path at;
  for (const auto& part : folder) {
    at /= part;
    if (part.empty()) continue;  // after the last '/'
    if (::mkdir(at.c_str(), 0777) == 0) {
      made_.push_back(at);
      continue;
    }
    const int why = errno;
    std::error_code error;
    if (fs::is_directory(at, error)) continue;
    std::string reason = std::strerror(why == EEXIST ? ENOTDIR : why);
    if (fs::is_symlink(fs::symlink_status(at, error)))
      reason = fmt::format("it is a symbolic link to {}, which is no directory",
                           fs::read_symlink(at, error).string());
    take_back();
    throw FileError(code::folder_not_made,
                    fmt::format("cannot make the directory {}: {}", at.string(), reason));
  }
}

void NewFolders::take_back() noexcept {
  for (auto it = made_.rbegin(); it != made_.rend(); ++it) ::rmdir(it->c_str());
  made_.clear();
}

}  // namespace kumiki::backends
