// SPDX-License-Identifier: Apache-2.0
#include "backends/support/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "backends/support/messages.h"
#include "ir/error.h"

namespace kumiki::backends {

Lock::~Lock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

LockResult Lock::take(bool wait) const {
  while (::flock(descriptor_, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR)
      return errno == EWOULDBLOCK ? LockResult::held_by_another : LockResult::not_supported;
  return LockResult::taken;
}

FolderLock::FolderLock(const std::filesystem::path& folder)
    : Lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!is_open())
    throw FileError(code::file_not_written,
                    fmt::format("cannot open {}: {}", folder.string(), std::strerror(errno)));
  const auto result = take(false);
  if (result == LockResult::held_by_another)
    throw FileError(code::another_run,
                    fmt::format("cannot write {}: another run is writing there; wait for its end",
                                folder.string()));
  if (result == LockResult::taken) return;
  const auto path = folder / file_name;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 && errno == EEXIST)
    throw FileError(code::another_run, fmt::format("cannot write {}: another run is writing there, "
                                                   "or was killed; if there is none, remove {}",
                                                   folder.string(), path.string()));
  if (file < 0)
    throw FileError(code::file_not_written,
                    fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  ::close(file);
  file_ = path;
}

FolderLock::~FolderLock() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

WaitingLock::WaitingLock(const std::filesystem::path& file)
    : Lock(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) {
  if (is_open()) (void)take(true);
}

}  // namespace kumiki::backends
