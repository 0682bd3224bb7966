// SPDX-License-Identifier: Apache-2.0
#include "backends/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <system_error>

#include "ir/error.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view pattern = "kumiki-XXXXXX";
constexpr const char* mark = ".kumiki-temporary";

struct Registry {
  std::mutex lock;
  std::list<fs::path> folders;
};
// Never destroyed: the end of the program may still look at it.
Registry& registry() {
  static auto* all = new Registry;
  return *all;
}

void take_away(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

[[noreturn]] void fail(const fs::path& path) {
  throw FileError(
      fmt::format("cannot make the directory {}: {}", path.string(), std::strerror(errno)));
}

int open_folder(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool is_ours(const fs::path& folder) {
  const auto name = folder.filename().string();
  const auto stem = pattern.substr(0, pattern.find('X'));
  if (name.size() != pattern.size() || !name.starts_with(stem)) return false;
  struct stat what {};
  return ::lstat(folder.c_str(), &what) == 0 && S_ISDIR(what.st_mode) &&
         what.st_uid == ::geteuid() && ::lstat((folder / mark).c_str(), &what) == 0 &&
         S_ISREG(what.st_mode) && what.st_uid == ::geteuid() && what.st_size == 0;
}

fs::path place_of_temporaries() {
  std::error_code error;
  auto place = fs::temp_directory_path(error);
  if (error)
    throw FileError(
        fmt::format("there is no folder for temporary files ({}): the variable TMPDIR "
                    "names one",
                    error.message()));
  return fs::absolute(place);
}

fs::path make_folder() {
  const auto place = place_of_temporaries();
  [[maybe_unused]] static const std::size_t once = sweep_leftovers(place);
  auto path = (place / pattern).string();
  if (!::mkdtemp(path.data())) fail(path);
  return path;
}

}  // namespace

RemovedFolder::RemovedFolder(fs::path path) {
  auto& all = registry();
  const std::lock_guard guard(all.lock);
  entry_ = all.folders.insert(all.folders.end(), std::move(path));
}

RemovedFolder::~RemovedFolder() {
  take_away(*entry_);
  auto& all = registry();
  const std::lock_guard guard(all.lock);
  all.folders.erase(entry_);
}

TemporaryFolder::TemporaryFolder() : outer_(make_folder()), path_(outer_.path() / "run") {
  if (::mkdir(path_.c_str(), 0700) != 0) fail(path_);
  lock_ = open_folder(outer_.path());
  // Without a lock there is no mark, and nobody sweeps what has none.
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) return;
  const int file = ::open((outer_.path() / mark).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) ::close(file);
}

TemporaryFolder::~TemporaryFolder() {
  if (lock_ >= 0) ::close(lock_);
}

void remove_folders_now() {
  auto& all = registry();
  const std::lock_guard guard(all.lock);
  for (const auto& folder : all.folders) take_away(folder);
}

std::size_t sweep_leftovers(const fs::path& place) {
  std::size_t removed = 0;
  std::error_code error;
  for (fs::directory_iterator at(place, error), end; !error && at != end; at.increment(error)) {
    if (!is_ours(at->path())) continue;
    const int folder = open_folder(at->path());
    if (folder < 0) continue;
    if (::flock(folder, LOCK_EX | LOCK_NB) == 0) {
      take_away(at->path());
      ++removed;
    }
    ::close(folder);
  }
  return removed;
}

}  // namespace kumiki::backends
