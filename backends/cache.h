// SPDX-License-Identifier: Apache-2.0
// What is built once and used again: a folder for each thing, called after a hash of everything it
// was made from. Many processes may use it at once: a thing is built aside and appears by a rename.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::backends {

class Cache {
 public:
  // $KUMIKI_CACHE, $XDG_CACHE_HOME/kumiki or ~/.cache/kumiki.
  Cache();
  explicit Cache(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }

  // A file of that name in a thing's folder says in a line what it is.
  static constexpr const char* about_file = "about.txt";

  // The folder of `kind` made from what `key` is a hash of. When it is missing, `build` fills an
  // empty folder, while others who want the same wait. Of a kind at most `keep` are kept: those
  // used last. FileError when the cache cannot be written.
  std::filesystem::path get(std::string_view kind, std::string_view key, std::size_t keep,
                            const std::function<void(const std::filesystem::path&)>& build) const;
  // The same folder where it is there already.
  std::optional<std::filesystem::path> find(std::string_view kind, std::string_view key) const;

  struct Entry {
    std::string kind, key, about;
    std::uint64_t bytes = 0;
    std::filesystem::file_time_type used = {};  // for the last time
  };
  // By kind, those used last first. Nothing but things of a cache: other files may lie beside them.
  std::vector<Entry> entries() const;
  // Removes the things of a kind, or all; how many. What is being built meanwhile is not touched.
  std::size_t clear(std::string_view kind = {}) const;

 private:
  std::filesystem::path root_;
};

}  // namespace kumiki::backends
