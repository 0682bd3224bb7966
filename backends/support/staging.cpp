// SPDX-License-Identifier: Apache-2.0
#include "backends/support/staging.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>
#include <vector>

#include "backends/support/durable.h"
#include "backends/support/messages.h"
#include "backends/support/roll_back.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;

fs::path made_folder(const fs::path& directory) {
  auto pattern = (directory / fmt::format("{}XXXXXX", Staging::prefix)).string();
  if (!::mkdtemp(pattern.data()))
    throw FileError(code::file_not_written,
                    fmt::format("cannot write {}: {}", directory.string(), std::strerror(errno)));
  return pattern;
}

void make_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    throw FileError(code::folder_not_made, fmt::format("cannot make the directory {}: {}",
                                                       path.string(), error.message()));
}

}  // namespace

namespace {

FileError changed(const fs::path& path) {
  return {code::another_run,
          fmt::format("cannot write {}: somebody changed it while this run was writing; it stays "
                      "as it is now, and so does the folder",
                      path.string())};
}

}  // namespace

Staging::Staging(const fs::path& directory, Journal journal)
    : directory_(directory), journal_(std::move(journal)), root_(made_folder(directory)) {
  try {
    struct stat status;
    if (::lstat(root_.c_str(), &status) != 0)
      throw FileError(code::file_not_read,
                      fmt::format("cannot read {}: {}", root_.string(), std::strerror(errno)));
    write_new_file(root_ / staging::unfinished_journal, to_text(journal_, status.st_ino));
    move(root_ / staging::unfinished_journal, root_ / staging::journal_name);
    for (const char* part : {staging::fresh, staging::old}) make_folders(root_ / part);
    sync_folder(root_);
    sync_folder(directory_);
  } catch (...) {
    staging::discard(root_);
    throw;
  }
}

Staging::~Staging() {
  if (is_done_ || staging::roll_back(directory_, root_, journal_) == staging::Undone::all)
    staging::discard(root_);
}

void Staging::stage(const std::string& name, std::string_view text) {
  const auto path = root_ / staging::fresh / name;
  make_folders(path.parent_path());
  write_new_file(path, text);
}

void Staging::commit() {
  std::set<fs::path> touched{directory_}, aside{root_ / staging::old};
  for (const auto& name : journal_.folders) {
    const auto path = directory_ / name;
    if (::mkdir(path.c_str(), 0777) != 0)
      throw FileError(code::folder_not_made, fmt::format("cannot make the directory {}: {}",
                                                         path.string(), std::strerror(errno)));
    touched.insert(path.parent_path());
  }
  const auto old_name = [&](const std::string& name) {
    const auto path = root_ / staging::old / name;
    make_folders(path.parent_path());
    for (auto p = path.parent_path(); p != root_; p = p.parent_path()) aside.insert(p);
    return path;
  };
  for (const auto& p : journal_.placed) {
    touched.insert((directory_ / p.name).parent_path());
    if (!p.has_old) continue;
    // Make a second name if the file system supports it, so that nobody finds the place empty.
    const auto from = directory_ / p.name, to = old_name(p.name);
    if (::link(from.c_str(), to.c_str()) != 0) move(from, to);
    if (seen(to) != p.seen) throw changed(from);
  }
  for (const auto& folder : aside) sync_folder(folder);
  std::vector<const Journal::Placed*> exchanged;
  for (const auto& p : journal_.placed) {
    const auto from = root_ / staging::fresh / p.name, to = directory_ / p.name;
    if (p.has_old && is_there(to))
      replace(p, exchanged);
    else if (!move_to_free_name(from, to))
      throw FileError(
          code::another_run,
          fmt::format("cannot write {}: it appeared while this run was writing", to.string()));
  }
  for (std::size_t i = 0; i < journal_.removed.size(); ++i) {
    const auto& name = journal_.removed[i];
    touched.insert((directory_ / name).parent_path());
    const auto aside_name = old_name(name);
    move(directory_ / name, aside_name);
    if (i < journal_.seen_removed.size() && seen(aside_name) != journal_.seen_removed[i])
      throw changed(directory_ / name);
  }
  for (const auto& folder : touched) sync_folder(folder);
  // A process that had the file open may have saved it in the meantime.
  for (const auto* p : exchanged)
    if (seen(root_ / staging::fresh / p->name) != p->seen) throw changed(directory_ / p->name);
  move(root_ / staging::journal_name, root_ / staging::done);
  is_done_ = true;
  sync_folder(root_);
}

// If the exchange returns another file than the one examined, it is reversed.
void Staging::replace(const Journal::Placed& p, std::vector<const Journal::Placed*>& exchanged) {
  const auto fresh = root_ / staging::fresh / p.name, place = directory_ / p.name;
  if (exchange(fresh, place)) {
    if (seen(fresh) == p.seen) {
      exchanged.push_back(&p);
      return;
    }
    exchange(fresh, place);
    throw changed(place);
  }
  if (seen(place) != p.seen) throw changed(place);
  move(fresh, place);
}

void Staging::recover(const fs::path& directory) {
  std::vector<fs::path> found;
  std::error_code error;
  for (auto at = fs::directory_iterator(directory, error); !error && at != fs::end(at);
       at.increment(error))
    if (at->path().filename().native().starts_with(prefix)) found.push_back(at->path());
  for (const auto& root : found) staging::recover(directory, root);
}

}  // namespace kumiki::backends
