// SPDX-License-Identifier: Apache-2.0
// Folders that exist as long as an object, and what takes them away when the object cannot.
#pragma once
#include <filesystem>
#include <list>

namespace kumiki::backends {

// A folder that is removed with the object, or when a signal ends the program before.
class RemovedFolder {
 public:
  explicit RemovedFolder(std::filesystem::path path);
  ~RemovedFolder();
  RemovedFolder(const RemovedFolder&) = delete;
  RemovedFolder& operator=(const RemovedFolder&) = delete;
  const std::filesystem::path& path() const { return *entry_; }

 private:
  std::list<std::filesystem::path>::iterator entry_;
};

// A new and empty folder in the system's place for such. It is locked while its run lives: what a
// killed run has left is removed by the next one.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  RemovedFolder outer_;  // with the mark by which it is known, and in it
  std::filesystem::path path_;
  int lock_ = -1;
};

// All there are now; for the end of the program.
void remove_folders_now();

// Folders in `place` that runs of ours made and nobody holds any more; how many. Nothing else is
// touched: it has to be a real folder of this user's with our mark in it.
std::size_t sweep_leftovers(const std::filesystem::path& place);

}  // namespace kumiki::backends
