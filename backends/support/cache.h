// SPDX-License-Identifier: Apache-2.0
// Caches things that are built once and used again. Each has a folder, named by a hash of
// everything from which it was made. Many processes may use the cache at once: a thing is built
// elsewhere and appears by a rename. Compiled code is loaded from here. So a folder is used only if
// this user owns it, nobody else may write it, and every byte is as written.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::backends {

class Cache {
 public:
  // $KUMIKI_CACHE, $XDG_CACHE_HOME/kumiki or ~/.cache/kumiki. Without any of them: a folder that is
  // removed when the program ends.
  Cache();
  explicit Cache(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  // Everything of ours is below this folder of the root.
  std::filesystem::path store() const { return root_ / store_name; }
  static constexpr const char* store_name = "kumiki-cache";

  // The kinds of entries; nothing else is ever touched.
  static constexpr std::string_view kinds[] = {"model", "runtime", "tree", "written"};
  static constexpr std::size_t key_digits = 32;

  // The file in an entry's folder that describes it in one line.
  static constexpr const char* about_file = "about.txt";

  // The folder of `kind` for `key`, a hash of its ingredients (32 hexadecimal digits). If it is
  // missing, `build` fills an empty folder, while other processes that need it wait. A damaged
  // folder is rebuilt, with a notice. At most `keep` of a kind are kept, the most recently used.
  // FileError if the cache is not writable or not ours.
  std::filesystem::path get(std::string_view kind, std::string_view key, std::size_t keep,
                            const std::function<void(const std::filesystem::path&)>& build) const;
  // The same folder if it exists already. FileError if the cache is not ours.
  std::optional<std::filesystem::path> find(std::string_view kind, std::string_view key) const;
  void remove(std::string_view kind, std::string_view key) const;

  struct Entry {
    std::string kind, key, about;
    std::uint64_t bytes = 0;
    std::filesystem::file_time_type used = {};  // last use
  };
  // All entries, by kind, the most recently used first.
  std::vector<Entry> entries() const;
  // Removes the entries of a kind, or all, and returns how many. Does not touch entries under
  // construction.
  std::size_t clear(std::string_view kind = {}) const;

 private:
  bool open() const;  // whether there is a store; FileError if it is not ours
  void make() const;
  std::filesystem::path folder_of(std::string_view kind, std::string_view key) const;
  void put_away(const std::filesystem::path& folder) const;
  void tidy(std::string_view kind, std::size_t keep) const;

  std::filesystem::path root_;
};

}  // namespace kumiki::backends
