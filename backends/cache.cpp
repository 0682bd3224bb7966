// SPDX-License-Identifier: Apache-2.0
#include "backends/cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/lock.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

fs::path default_root() {
  auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  if (auto own = variable("KUMIKI_CACHE"); !own.empty()) return fs::absolute(own);
  if (auto xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "kumiki";
  if (auto home = variable("HOME"); home.is_absolute()) return home / ".cache" / "kumiki";
  return fs::temp_directory_path() / fmt::format("kumiki-cache-{}", ::getuid());
}

[[noreturn]] void fail(const fs::path& path, std::string_view why) {
  throw FileError(
      fmt::format("cannot use the cache {}: {}; the variable KUMIKI_CACHE may name another folder",
                  path.string(), why));
}

class BuildFolder {
 public:
  explicit BuildFolder(const fs::path& root) {
    auto pattern = (root / "building-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) fail(root, std::strerror(errno));
    path_ = pattern;
  }
  ~BuildFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What a build that was killed has left, and what has not been used for longest.
void tidy(const fs::path& root, std::string_view kind, std::size_t keep) {
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  std::error_code error;
  auto now = fs::file_time_type::clock::now();
  for (const auto& entry : fs::directory_iterator(root, error)) {
    auto name = entry.path().filename().string();
    auto used = entry.last_write_time(error);
    if (error) continue;
    if (name.starts_with("building-") && now - used > 24h) fs::remove_all(entry.path(), error);
    if (name.starts_with(fmt::format("{}-", kind)) && !name.ends_with(".lock"))
      all.emplace_back(used, entry.path());
  }
  if (all.size() <= keep) return;
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size() - keep; ++i) {
    fs::remove_all(all[i].second, error);
    fs::remove(all[i].second.string() + ".lock", error);
  }
}

// The name of a folder is KIND-HASH, the hash 32 hexadecimal digits.
std::optional<Cache::Entry> entry_of(const std::string& name) {
  constexpr std::size_t digits = 32;
  if (name.size() < digits + 2 || name[name.size() - digits - 1] != '-') return std::nullopt;
  Cache::Entry e;
  e.kind = name.substr(0, name.size() - digits - 1);
  e.key = name.substr(name.size() - digits);
  if (e.key.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
  return e;
}

}  // namespace

Cache::Cache() : root_(default_root()) {}

fs::path Cache::get(std::string_view kind, std::string_view key, std::size_t keep,
                    const std::function<void(const fs::path&)>& build) const {
  std::error_code error;
  fs::create_directories(root_, error);
  if (error) fail(root_, error.message());
  fs::path folder = root_ / fmt::format("{}-{}", kind, key);
  const auto is_there = [&] { return find(kind, key).has_value(); };
  if (is_there()) return folder;
  // It saves double work and nothing else: where locks do not work, two may build the same and the
  // second to finish throws its own away.
  const WaitingLock lock(folder.string() + ".lock");
  if (is_there()) return folder;
  BuildFolder building(root_);
  build(building.path());
  fs::permissions(building.path(), fs::perms::owner_all | fs::perms::group_read |
                                       fs::perms::group_exec | fs::perms::others_read |
                                       fs::perms::others_exec);
  fs::rename(building.path(), folder, error);
  if (error && !is_there()) fail(folder, error.message());
  tidy(root_, kind, keep);
  return folder;
}

std::optional<fs::path> Cache::find(std::string_view kind, std::string_view key) const {
  fs::path folder = root_ / fmt::format("{}-{}", kind, key);
  std::error_code error;
  if (!fs::is_directory(folder, error)) return std::nullopt;
  fs::last_write_time(folder, fs::file_time_type::clock::now(), error);
  return folder;
}

std::vector<Cache::Entry> Cache::entries() const {
  std::vector<Entry> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root_, error)) {
    auto one = entry_of(entry.path().filename().string());
    if (!one || !fs::is_directory(entry.path(), error)) continue;
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
    const fs::path folder = root_ / fmt::format("{}-{}", e.kind, e.key);
    std::error_code error;
    // Out of sight first: nobody finds half of it.
    BuildFolder aside(root_);
    fs::rename(folder, aside.path() / "old", error);
    if (error) fail(folder, error.message());
    fs::remove(folder.string() + ".lock", error);
    ++removed;
  }
  return removed;
}

}  // namespace kumiki::backends
