// SPDX-License-Identifier: Apache-2.0
// Makes the missing folders on the path to an output, and removes them again unless they are kept.
#pragma once
#include <filesystem>
#include <vector>

namespace kumiki::backends {

class NewFolders {
 public:
  // FileError if one cannot be made; then nothing is left behind.
  explicit NewFolders(const std::filesystem::path& folder);
  ~NewFolders() { take_back(); }
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;
  void keep() { made_.clear(); }

 private:
  void take_back() noexcept;  // only empty ones

  std::vector<std::filesystem::path> made_;  // only those that this object made
};

}  // namespace kumiki::backends
