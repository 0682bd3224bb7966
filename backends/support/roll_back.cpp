// SPDX-License-Identifier: Apache-2.0
#include "backends/support/roll_back.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "backends/support/durable.h"
#include "backends/support/messages.h"
#include "backends/support/notice.h"
#include "ir/error.h"

namespace kumiki::backends::staging {
namespace {

namespace fs = std::filesystem;

bool is_one_file(const fs::path& a, const fs::path& b) {
  struct stat of_a, of_b;
  return ::lstat(a.c_str(), &of_a) == 0 && ::lstat(b.c_str(), &of_b) == 0 &&
         of_a.st_ino == of_b.st_ino && of_a.st_dev == of_b.st_dev;
}

// Moves something back to a place that must be free; returns whether it is there now.
bool bring_back(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  return move_to_free_name(from, to);
}

// Returns whether the place has its earlier content again.
bool undo(const fs::path& directory, const fs::path& root, const Journal::Placed& p) {
  const auto place = directory / p.name, aside = root / old / p.name;
  const bool has_aside = is_there(aside);
  if (leads_through_link(directory, p.name)) return !has_aside;
  // An exchange leaves the earlier file in the place of the new one.
  const auto new_name = root / fresh / p.name;
  const bool waits = is_there(new_name) && !(has_aside && is_one_file(new_name, aside));
  if (has_aside) {
    if (!is_there(place)) return bring_back(aside, place);
    if (is_one_file(place, aside)) return true;
    // Somebody saved this file before the new one came.
    if (waits) return true;
    if (fingerprint_of_file(place) != p.file) return false;
    move(aside, place);
    return true;
  }
  // Never placed, or already undone by a run that was stopped.
  if (waits || p.has_old || fingerprint_of_file(place) != p.file) return true;
  if (::unlink(place.c_str()) != 0)
    throw FileError(code::file_not_written,
                    fmt::format("cannot remove {}: {}", place.string(), std::strerror(errno)));
  return true;
}

bool undo_removal(const fs::path& directory, const fs::path& root, const std::string& name) {
  const auto place = directory / name, aside = root / old / name;
  if (!is_there(aside)) return true;
  return !leads_through_link(directory, name) && !is_there(place) && bring_back(aside, place);
}

// The text of a regular file that we own.
std::string own_text(const fs::path& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid())
    return {};
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Whether a run was killed before its journal was complete: the folder has only a part of the
// journal.
bool has_only_begun(const fs::path& root, std::uint64_t inode) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error))
    if (entry.path().filename() != unfinished_journal) return false;
  if (error) return false;
  const auto path = root / unfinished_journal;
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) return true;  // empty
  return S_ISREG(status.st_mode) &&
         (status.st_size == 0 || own_text(path).starts_with(head_of_journal(inode) + " "));
}

}  // namespace

Undone roll_back(const fs::path& directory, const fs::path& root, const Journal& journal) noexcept {
  std::string changed, why;
  const auto attempt = [&](const std::string& name, auto work) {
    try {
      if (!work()) changed += fmt::format("{}{}", changed.empty() ? "" : ", ", name);
    } catch (const std::exception& e) {
      why = e.what();
    }
  };
  for (const auto& name : journal.removed)
    attempt(name, [&] { return undo_removal(directory, root, name); });
  for (const auto& p : journal.placed) attempt(p.name, [&] { return undo(directory, root, p); });
  for (auto it = journal.folders.rbegin(); it != journal.folders.rend(); ++it)
    if (!leads_through_link(directory, *it)) ::rmdir((directory / *it).c_str());
  if (!why.empty()) {
    notice(fmt::format("{}: what a run that was stopped has written there is not undone yet: {}",
                       directory.string(), why));
    return Undone::failed;
  }
  if (changed.empty()) return Undone::all;
  std::error_code ignored;
  fs::remove_all(root / fresh, ignored);
  fs::rename(root / journal_name, root / left, ignored);
  notice(fmt::format(
      "{}: a run was stopped while it wrote there, and {} has been changed since; what stood there "
      "before is in {}",
      directory.string(), changed, (root / old).string()));
  return Undone::all_but_changed_files;
}

void discard(const fs::path& root) noexcept {
  std::error_code error;
  // Remove the journal last: if we are killed now, the rest is still known.
  for (const char* name : {fresh, old, unfinished_journal, done, staging::journal_name})
    if (fs::remove_all(root / name, error); error) return;
  ::rmdir(root.c_str());
}

void recover(const fs::path& directory, const fs::path& root) {
  struct stat status;
  if (::lstat(root.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::geteuid())
    return;
  if (parse_journal(own_text(root / done), status.st_ino)) return discard(root);
  if (const auto begun = parse_journal(own_text(root / staging::journal_name), status.st_ino)) {
    const auto undone = roll_back(directory, root, *begun);
    if (undone == Undone::failed)
      throw FileError(code::file_not_written,
                      fmt::format("cannot write {}: a run that was stopped there cannot be undone",
                                  directory.string()));
    if (undone == Undone::all) discard(root);
    return;
  }
  if (has_only_begun(root, status.st_ino)) discard(root);
}

}  // namespace kumiki::backends::staging
