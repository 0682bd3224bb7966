// SPDX-License-Identifier: Apache-2.0
// Folders that exist as long as an object, and the cleanup if the object cannot remove them.
#pragma once
#include <filesystem>
#include <list>
#include <string_view>

namespace kumiki::backends {

// A folder that is removed with the object, or when a signal ends the program earlier.
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

// Removes all existing ones, at the end of the program.
void remove_folders_now();

// A new folder PLACE/PREFIXxxxxxx. It has a mark, which shows later runs that it is ours, and a
// lock on the mark, which shows that its run is alive. path() is an empty folder inside, which may
// be moved away.
class OwnFolder {
 public:
  OwnFolder(const std::filesystem::path& place, std::string_view prefix);
  ~OwnFolder();
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  RemovedFolder outer_;
  std::filesystem::path path_;
  int mark_ = -1;
};

inline constexpr std::string_view temporary_prefix = "kumiki-";

// Removes folders in `place` that our runs made and nobody holds any more; returns how many.
// Touches nothing else: it must be a real folder of this user with its mark in it.
std::size_t sweep_leftovers(const std::filesystem::path& place,
                            std::string_view prefix = temporary_prefix);

// A folder in the system's temporary place; the first one of a program also sweeps there.
class TemporaryFolder {
 public:
  TemporaryFolder();
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  OwnFolder folder_;
};

}  // namespace kumiki::backends
