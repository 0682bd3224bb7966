// SPDX-License-Identifier: Apache-2.0
// A lock among processes. The kernel lets go of it when its holder dies; where a file system knows
// no locks it is held in name only.
#pragma once
#include <filesystem>

namespace kumiki::backends {

class Lock {
 public:
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

 protected:
  explicit Lock(int descriptor) : descriptor_(descriptor) {}
  bool take(bool wait) const;  // false: another process has it
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

// Of a folder that one run at a time may change. FileError while another run has it.
struct FolderLock : Lock {
  explicit FolderLock(const std::filesystem::path& folder);
};

// Of a file made for the purpose, which may be missing or not to be had: waits until nobody has it.
struct WaitingLock : Lock {
  explicit WaitingLock(const std::filesystem::path& file);
};

}  // namespace kumiki::backends
