// SPDX-License-Identifier: Apache-2.0
// Locks among processes. The kernel releases them when their holder dies.
#pragma once
#include <filesystem>

namespace kumiki::backends {

enum class LockResult { taken, held_by_another, not_supported };

class Lock {
 public:
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

 protected:
  explicit Lock(int descriptor) : descriptor_(descriptor) {}
  LockResult take(bool wait) const;
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

// The lock of a folder that only one run at a time may change. FileError while another run has it.
// If the file system cannot lock folders, a file in the folder is the lock. A killed run leaves it
// behind, and the error names it.
class FolderLock : Lock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();

  static constexpr const char* file_name = ".kumiki-lock";

 private:
  std::filesystem::path file_;  // empty if the kernel has the lock
};

// The lock of a dedicated file: waits until it is free. If a lock is not possible, nothing is
// locked: the guarded operation must be safe without it.
struct WaitingLock : Lock {
  explicit WaitingLock(const std::filesystem::path& file);
};

}  // namespace kumiki::backends
