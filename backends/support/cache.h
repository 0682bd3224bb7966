// SPDX-License-Identifier: Apache-2.0
// Things that are built once and used again: a folder for each, named by a hash of everything it
// was made from. Many processes may use the cache at once: a thing is built aside and appears by a
// rename. Compiled code is loaded from here, so a folder is used only if it is ours, nobody else
// may write it, and every byte is as it was written.
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
  // $KUMIKI_CACHE, $XDG_CACHE_HOME/kumiki or ~/.cache/kumiki; without any of them a folder that is
  // removed when the program ends.
  Cache();
  explicit Cache(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  // Everything of ours is below this folder of the root.
  std::filesystem::path store() const { return root_ / store_name; }
  static constexpr const char* store_name = "kumiki-cache";

  // What is kept; nothing else is ever touched.
  static constexpr std::string_view kinds[] = {"model", "runtime", "tree"};

  // The file in a thing's folder that says in a line what it is.
  static constexpr const char* about_file = "about.txt";

  // The folder of `kind` made from what `key`, 32 hexadecimal digits, is a hash of. When it is
  // missing, `build` fills an empty folder, while others who want the same wait. A damaged folder
  // is made again, with a notice. At most `keep` of a kind are kept, those used last. FileError
  // when the cache cannot be written or is not ours.
  std::filesystem::path get(std::string_view kind, std::string_view key, std::size_t keep,
                            const std::function<void(const std::filesystem::path&)>& build) const;
  // The same folder where it is there already. FileError when the cache is not ours.
  std::optional<std::filesystem::path> find(std::string_view kind, std::string_view key) const;
  void remove(std::string_view kind, std::string_view key) const;

  struct Entry {
    std::string kind, key, about;
    std::uint64_t bytes = 0;
    std::filesystem::file_time_type used = {};  // for the last time
  };
  // All that is kept, by kind, those used last first.
  std::vector<Entry> entries() const;
  // Removes the things of a kind, or all, and returns how many. What is being built meanwhile is
  // not touched.
  std::size_t clear(std::string_view kind = {}) const;

 private:
  bool open() const;  // whether there is a store; FileError when it is not ours
  void make() const;
  std::filesystem::path folder_of(std::string_view kind, std::string_view key) const;
  void put_away(const std::filesystem::path& folder) const;
  void tidy(std::string_view kind, std::size_t keep) const;

  std::filesystem::path root_;
};

}  // namespace kumiki::backends
