// SPDX-License-Identifier: Apache-2.0
// Makes the missing folders on the way to an output, and removes them again unless they are kept.
#pragma once
#include <filesystem>
#include <vector>

namespace kumiki::backends {

class NewFolders {
 public:
  // FileError when one cannot be made; nothing is left behind then.
  explicit NewFolders(const std::filesystem::path& folder);
  ~NewFolders() { take_back(); }
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;
  void keep() { made_.clear(); }

 private:
  void take_back() noexcept;  // those that are empty

  std::vector<std::filesystem::path> made_;  // by this object and by nobody else
};

}  // namespace kumiki::backends
