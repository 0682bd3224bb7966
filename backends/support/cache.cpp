// SPDX-License-Identifier: Apache-2.0
#include "backends/support/cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/support/cache_entry.h"
#include "backends/support/durable.h"
#include "backends/support/lock.h"
#include "backends/support/messages.h"
#include "backends/support/notice.h"
#include "backends/support/temporary.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view building = "building-";
constexpr const char* tag_name = "CACHEDIR.TAG";
constexpr std::string_view tag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This folder is a cache of kumiki, which may be removed.\n";

fs::path default_root() {
  auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  if (auto own = variable("KUMIKI_CACHE"); !own.empty()) return fs::absolute(own);
  if (auto xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "kumiki";
  if (auto home = variable("HOME"); home.is_absolute()) return home / ".cache" / "kumiki";
  static const TemporaryFolder of_this_run;
  return of_this_run.path() / "cache";
}

[[noreturn]] void fail(const fs::path& path, std::string_view why) {
  throw FileError(
      code::cache_unusable,
      fmt::format("cannot use the cache {}: {}; the variable KUMIKI_CACHE may name another folder",
                  path.string(), why));
}

// Makes folders that only this user may enter.
void make_own_folders(const fs::path& path) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) return;
  make_own_folders(path.parent_path());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail(path, std::strerror(errno));
}

// All folders above that are there.
void require_safe_above(const fs::path& root) {
  std::error_code error;
  for (auto above = root.parent_path(); above != above.root_path(); above = above.parent_path())
    if (fs::exists(above, error))
      if (const auto why = why_not_safe(above); !why.empty()) fail(root, why);
}

bool has_tag(const fs::path& store) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(store / tag_name, error))) return false;
  std::ifstream in(store / tag_name, std::ios::binary);
  std::string text(tag.size(), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  return in && text == tag;
}

// The name of a folder is KIND-HASH.
std::optional<Cache::Entry> entry_of(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(folder, error))) return std::nullopt;
  const auto name = folder.filename().string();
  if (name.size() < Cache::key_digits + 2 || name[name.size() - Cache::key_digits - 1] != '-')
    return std::nullopt;
  Cache::Entry e;
  e.kind = name.substr(0, name.size() - Cache::key_digits - 1);
  e.key = name.substr(name.size() - Cache::key_digits);
  if (std::ranges::find(Cache::kinds, e.kind) == std::end(Cache::kinds) ||
      e.key.find_first_not_of("0123456789abcdef") != std::string::npos)
    return std::nullopt;
  return e;
}

fs::path lock_of(const fs::path& folder) { return folder.string() + ".lock"; }

}  // namespace

Cache::Cache() : root_(default_root()) {}

fs::path Cache::folder_of(std::string_view kind, std::string_view key) const {
  if (std::ranges::find(kinds, kind) == std::end(kinds) || key.size() != key_digits)
    throw std::logic_error(fmt::format("the cache keeps no {} {}", kind, key));
  return store() / fmt::format("{}-{}", kind, key);
}

bool Cache::open() const {
  std::error_code error;
  const auto root = fs::canonical(root_, error);  // the name may be a link
  if (error || !is_there(store())) return false;
  for (const auto& folder : {root, root / store_name})
    if (const auto why = why_not_ours(folder); !why.empty()) fail(folder, why);
  require_safe_above(root);
  if (!has_tag(store())) fail(store(), fmt::format("it has no {} of ours", tag_name));
  return true;
}

void Cache::make() const {
  if (!is_there(store())) {
    // Nothing is made in a place that will not do.
    require_safe_above(fs::weakly_canonical(fs::absolute(root_)));
    make_own_folders(root_);
    std::error_code error;
    const auto root = fs::canonical(root_, error);
    if (const auto why = why_not_ours(root); !why.empty()) fail(root_, why);
    // The store appears complete, with its tag.
    sweep_leftovers(root_, fmt::format("{}-", store_name));
    const OwnFolder folder(root_, fmt::format("{}-", store_name));
    fs::permissions(folder.path(), fs::perms::owner_all, error);
    write_new_file(folder.path() / tag_name, tag);
    if (::rename(folder.path().c_str(), store().c_str()) != 0 && !is_there(store()))
      fail(store(), std::strerror(errno));
  }
  if (!open()) fail(store(), "it disappeared");
}

fs::path Cache::get(std::string_view kind, std::string_view key, std::size_t keep,
                    const std::function<void(const fs::path&)>& build) const {
  const fs::path folder = folder_of(kind, key);
  make();
  if (find(kind, key)) return folder;
  // The lock only avoids double work. If locks do not work, two processes may build the same thing;
  // the second to finish discards its own.
  const WaitingLock lock(lock_of(folder));
  if (find(kind, key)) return folder;
  sweep_leftovers(store(), building);
  const OwnFolder aside(store(), building);
  build(aside.path());
  seal_entry(aside.path());
  if (::rename(aside.path().c_str(), folder.c_str()) != 0) {
    const int why = errno;
    if (!find(kind, key)) fail(folder, std::strerror(why));
  }
  sync_folder(store());
  tidy(kind, keep);
  return folder;
}

std::optional<fs::path> Cache::find(std::string_view kind, std::string_view key) const {
  const fs::path folder = folder_of(kind, key);
  if (!open()) return std::nullopt;
  struct stat before, after;
  for (;;) {
    if (::lstat(folder.c_str(), &before) != 0) return std::nullopt;
    const auto why = why_damaged(folder);
    if (why.empty()) break;
    // Another process may have removed or rebuilt it meanwhile.
    if (::lstat(folder.c_str(), &after) != 0 || after.st_ino != before.st_ino) continue;
    notice(fmt::format("{} is damaged and made again: {}", folder.string(), why));
    put_away(folder);
    return std::nullopt;
  }
  std::error_code ignored;
  fs::last_write_time(folder, fs::file_time_type::clock::now(), ignored);
  return folder;
}

void Cache::remove(std::string_view kind, std::string_view key) const {
  const fs::path folder = folder_of(kind, key);
  if (open() && is_there(folder)) put_away(folder);
}

// Moves a folder away first, so that nobody finds it half removed.
void Cache::put_away(const fs::path& folder) const {
  const OwnFolder aside(store(), building);
  if (::rename(folder.c_str(), (aside.path() / "old").c_str()) != 0 && errno != ENOENT)
    fail(folder, std::strerror(errno));
}

// Removes the entries that have not been used for the longest time.
void Cache::tidy(std::string_view kind, std::size_t keep) const {
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(store(), error)) {
    const auto one = entry_of(entry.path());
    const auto used = entry.last_write_time(error);
    if (one && one->kind == kind && !error) all.emplace_back(used, entry.path());
  }
  if (all.size() <= keep) return;
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size() - keep; ++i) {
    put_away(all[i].second);
    fs::remove(lock_of(all[i].second), error);
  }
}

std::vector<Cache::Entry> Cache::entries() const {
  std::vector<Entry> all;
  if (!open()) return all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(store(), error)) {
    auto one = entry_of(entry.path());
    if (!one) continue;
    one->used = fs::last_write_time(entry.path(), error);
    for (const auto& file : fs::recursive_directory_iterator(entry.path(), error))
      if (file.is_regular_file(error)) one->bytes += file.file_size(error);
    std::ifstream about(entry.path() / about_file);
    std::getline(about, one->about);
    all.push_back(*std::move(one));
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.kind, b.used, a.key) < std::tie(b.kind, a.used, b.key);
  });
  return all;
}

std::size_t Cache::clear(std::string_view kind) const {
  std::size_t removed = 0;
  for (const Entry& e : entries()) {
    if (!kind.empty() && e.kind != kind) continue;
    const fs::path folder = folder_of(e.kind, e.key);
    put_away(folder);
    std::error_code error;
    fs::remove(lock_of(folder), error);
    ++removed;
  }
  if (open()) sweep_leftovers(store(), building);
  return removed;
}

}  // namespace kumiki::backends
