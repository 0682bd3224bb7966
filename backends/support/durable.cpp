// SPDX-License-Identifier: Apache-2.0
#include "backends/support/durable.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "backends/support/messages.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string_view what, const fs::path& path) {
  throw FileError(code::file_not_written,
                  fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

class Open {
 public:
  Open(const fs::path& path, int flags, std::string_view what)
      : path_(path), file_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (file_ < 0) fail(what, path);
  }
  ~Open() {
    if (file_ >= 0) ::close(file_);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const auto n = ::write(file_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("write", path_);
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  // Some file systems cannot sync, and report that.
  void sync() {
    while (::fsync(file_) != 0) {
      if (errno == EINTR) continue;
      if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP || errno == EROFS) return;
      fail("write", path_);
    }
  }
  void close() {
    const int file = file_;
    file_ = -1;
    if (::close(file) != 0 && errno != EINTR) fail("write", path_);
  }

 private:
  const fs::path& path_;
  int file_;
};

}  // namespace

void write_new_file(const fs::path& path, std::string_view text) {
  Open file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "write");
  file.write(text);
  file.sync();
  file.close();
}

void sync_file(const fs::path& path) { Open(path, O_RDONLY | O_NOFOLLOW, "read").sync(); }

void sync_folder(const fs::path& path) { Open(path, O_RDONLY | O_DIRECTORY, "read").sync(); }

void move(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail("write", to);
}

bool move_to_free_name(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  if (errno != EINVAL && errno != ENOSYS) fail("write", to);
  if (is_there(to)) return false;  // the best approximation without RENAME_NOREPLACE
  move(from, to);
  return true;
}

std::optional<Seen> seen(const fs::path& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return Seen{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
              status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

bool exchange(const fs::path& a, const fs::path& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) fail("write", b);
  return false;
}

bool is_there(const fs::path& path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0;
}

bool is_inside(const fs::path& name) {
  return !name.empty() && name.is_relative() && name.has_filename() &&
         name.native().find('\0') == std::string::npos &&
         std::none_of(name.begin(), name.end(),
                      [](const fs::path& part) { return part == ".." || part == "."; });
}

bool leads_through_link(const fs::path& folder, const fs::path& name) {
  fs::path at = folder;
  struct stat status;
  const auto way = name.parent_path();
  return std::any_of(way.begin(), way.end(), [&](const fs::path& part) {
    at /= part;
    return ::lstat(at.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
  });
}

}  // namespace kumiki::backends
