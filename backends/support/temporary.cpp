// SPDX-License-Identifier: Apache-2.0
#include "backends/support/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <system_error>

#include "backends/support/messages.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* mark_name = "kumiki-owner";
constexpr std::string_view any_six = "XXXXXX";
constexpr auto time_to_write_the_mark = 1h;

struct Registry {
  std::mutex lock;
  std::list<fs::path> folders;
};
// Never destroyed: the end of the program may still use it.
Registry& registry() {
  static auto* all = new Registry;
  return *all;
}

// Removes the mark last: a folder that cannot be removed now is recognised later.
void take_away(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;) {
    const auto path = at->path();
    at.increment(error);
    if (path.filename() != mark_name) fs::remove_all(path, error);
  }
  if (error) return;
  fs::remove(folder / mark_name, error);
  fs::remove(folder, error);
}

[[noreturn]] void fail(const fs::path& path) {
  throw FileError(code::folder_not_made, fmt::format("cannot make the directory {}: {}",
                                                     path.string(), std::strerror(errno)));
}

fs::path make_folder(const fs::path& place, std::string_view prefix) {
  auto path = (place / fmt::format("{}{}", prefix, any_six)).string();
  if (!::mkdtemp(path.data())) fail(path);
  return path;
}

// The mark contains the inode number of the folder, so a copy of the folder is not ours.
std::string mark_of(const struct stat& folder) {
  return fmt::format("a folder of kumiki, removed by it: {}\n", folder.st_ino);
}

// Holds the lock of a mark, if the mark fits the folder and nobody else has the lock.
class HeldMark {
 public:
  HeldMark(const fs::path& path, const struct stat& folder)
      : file_(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
    if (file_ < 0) return;
    const auto wanted = mark_of(folder);
    std::string text(wanted.size() + 1, '\0');
    const auto n = ::read(file_, text.data(), text.size());
    text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    is_ours_ = text == wanted && ::flock(file_, LOCK_EX | LOCK_NB) == 0;
  }
  ~HeldMark() {
    if (file_ >= 0) ::close(file_);
  }
  HeldMark(const HeldMark&) = delete;
  HeldMark& operator=(const HeldMark&) = delete;
  bool is_ours() const { return is_ours_; }

 private:
  int file_;
  bool is_ours_ = false;
};

// A run may have been killed while it wrote the mark. Then the folder is old and has a part of a
// mark. An empty folder stays: it may be somebody else's.
bool has_part_of_a_mark(const fs::path& folder, const struct stat& status) {
  std::error_code error;
  const auto wanted = mark_of(status);
  bool has_part = false;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename() != mark_name || !fs::is_regular_file(at->symlink_status(error)) ||
        at->file_size(error) >= wanted.size())
      return false;
    std::ifstream in(at->path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!wanted.starts_with(text)) return false;
    has_part = true;
  }
  const auto changed = fs::last_write_time(folder, error);
  return has_part && !error && fs::file_time_type::clock::now() - changed > time_to_write_the_mark;
}

bool remove_if_dead(const fs::path& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::geteuid())
    return false;
  const HeldMark mark(folder / mark_name, status);
  if (!mark.is_ours() && !has_part_of_a_mark(folder, status)) return false;
  take_away(folder);
  return true;
}

fs::path place_of_temporaries() {
  std::error_code error;
  auto place = fs::temp_directory_path(error);
  if (error)
    throw FileError(
        code::no_temporary_folder,
        fmt::format("there is no folder for temporary files ({}); name one in the variable TMPDIR",
                    error.message()));
  place = fs::absolute(place);
  [[maybe_unused]] static const std::size_t once = sweep_leftovers(place);
  return place;
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

void remove_folders_now() {
  auto& all = registry();
  const std::lock_guard guard(all.lock);
  for (const auto& folder : all.folders) take_away(folder);
}

OwnFolder::OwnFolder(const fs::path& place, std::string_view prefix)
    : outer_(make_folder(place, prefix)), path_(outer_.path() / "work") {
  struct stat status {};
  const auto mark = outer_.path() / mark_name;
  mark_ = ::open(mark.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (mark_ < 0 || ::lstat(outer_.path().c_str(), &status) != 0) fail(mark);
  // Without locks, nobody can take this one, and the folder of a killed run stays.
  (void)::flock(mark_, LOCK_EX | LOCK_NB);
  const auto text = mark_of(status);
  // Sync to the disk before anything else is in the folder: without its mark it would never be
  // removed.
  if (::write(mark_, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::fsync(mark_) != 0 || ::mkdir(path_.c_str(), 0777) != 0) {
    const int why = errno;
    ::close(mark_);
    errno = why;
    fail(path_);
  }
}

OwnFolder::~OwnFolder() {
  take_away(outer_.path());
  ::close(mark_);
}

std::size_t sweep_leftovers(const fs::path& place, std::string_view prefix) {
  std::size_t removed = 0;
  std::error_code error;
  for (fs::directory_iterator at(place, error), end; !error && at != end; at.increment(error)) {
    const auto name = at->path().filename().string();
    if (name.size() == prefix.size() + any_six.size() && name.starts_with(prefix))
      removed += remove_if_dead(at->path());
  }
  return removed;
}

TemporaryFolder::TemporaryFolder() : folder_(place_of_temporaries(), temporary_prefix) {}

}  // namespace kumiki::backends
