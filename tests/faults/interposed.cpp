// SPDX-License-Identifier: Apache-2.0
// Functions of the C library under their own names: those of the program come first when it is
// linked, for the C++ library too.
#include "tests/faults/interposed.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace kumiki::tests {
namespace {

constexpr int status_of_fault = 77;

Fault planned = Fault::none;
int calls = 0, last_call = 0;
bool folders_have_locks = true;

// Files with text that is not on the disk, by number, through descriptors of their own.
std::map<ino_t, int>& unsynced() {
  static std::map<ino_t, int> files;
  return files;
}

ino_t number_of(int file) {
  struct stat status;
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? status.st_ino : 0;
}

[[noreturn]] void die() {
  if (planned == Fault::power_lost)
    for (const auto& [number, file] : unsynced()) (void)!::ftruncate(file, 0);
  ::_exit(status_of_fault);
}

// A call of `edit` itself is no call of the program.
bool is_the_one() {
  if (planned == Fault::none || ++calls != last_call) return false;
  if (planned != Fault::edited) return true;
  planned = Fault::none;
  edit();
  planned = Fault::edited;
  return false;
}

// Whether the call has to fail; does not come back when it is the last one.
bool fails() {
  if (!is_the_one()) return false;
  if (planned != Fault::refused) die();
  errno = EIO;
  return true;
}

template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

std::function<void()> edit;

bool with_fault(Fault fault, int at, const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    (void)!std::freopen("/dev/null", "w", stderr);
    planned = fault;
    last_call = at;
    calls = 0;
    try {
      work();
    } catch (const std::exception&) {
    }
    ::_exit(calls >= at ? status_of_fault : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "a crash at call " << at;
  return WEXITSTATUS(status) == status_of_fault;
}

WithoutFolderLocks::WithoutFolderLocks() { folders_have_locks = false; }
WithoutFolderLocks::~WithoutFolderLocks() { folders_have_locks = true; }

}  // namespace kumiki::tests

using namespace kumiki::tests;

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const auto mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_CREAT) != 0 && fails()) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t write(int file, const void* text, size_t size) {
  const auto number = planned == Fault::none ? 0 : number_of(file);
  if (number != 0 && is_the_one()) {
    if (planned == Fault::refused) {
      errno = EIO;
      return -1;
    }
    (void)::syscall(SYS_write, file, text, size / 2);
    die();
  }
  if (number != 0 && !unsynced().contains(number))
    unsynced()[number] =
        ::open(fmt::format("/proc/self/fd/{}", file).c_str(), O_WRONLY | O_CLOEXEC);
  return ::syscall(SYS_write, file, text, size);
}

int fsync(int file) {
  if (fails()) return -1;
  if (planned != Fault::none)
    if (const auto at = unsynced().find(number_of(file)); at != unsynced().end()) {
      ::close(at->second);
      unsynced().erase(at);
    }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

int flock(int file, int operation) noexcept {
  struct stat status;
  if (!folders_have_locks && ::fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
    errno = EBADF;
    return -1;
  }
  if (fails()) return -1;
  return static_cast<int>(::syscall(SYS_flock, file, operation));
}

int rename(const char* from, const char* to) noexcept {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_rename, from, to));
}

int renameat2(int a, const char* from, int b, const char* to, unsigned flags) noexcept {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_renameat2, a, from, b, to, flags));
}

int link(const char* from, const char* to) noexcept {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_link, from, to));
}

int unlink(const char* path) noexcept {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_unlink, path));
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_unlinkat, folder, path, flags));
}

int rmdir(const char* path) noexcept {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_rmdir, path));
}

int mkdir(const char* path, mode_t mode) noexcept {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_mkdir, path, mode));
}

int remove(const char* path) noexcept {
  if (fails()) return -1;
  static auto* const real = original<int(const char*)>("remove");
  return real(path);
}

char* mkdtemp(char* pattern) noexcept {
  if (fails()) return nullptr;
  static auto* const real = original<char*(char*)>("mkdtemp");
  return real(pattern);
}

}  // extern "C"
