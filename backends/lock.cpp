// SPDX-License-Identifier: Apache-2.0
#include "backends/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ir/error.h"

namespace kumiki::backends {

Lock::~Lock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Lock::take(bool wait) const {
  int result = 0;
  do {
    result = ::flock(descriptor_, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result == 0 || errno != EWOULDBLOCK;
}

FolderLock::FolderLock(const std::filesystem::path& folder)
    : Lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!is_open())
    throw FileError(fmt::format("cannot open {}: {}", folder.string(), std::strerror(errno)));
  if (!take(false))
    throw FileError(fmt::format("cannot write {}: another run is writing there", folder.string()));
}

WaitingLock::WaitingLock(const std::filesystem::path& file)
    : Lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (is_open()) take(true);
}

}  // namespace kumiki::backends
