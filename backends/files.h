// SPDX-License-Identifier: Apache-2.0
// The files of one run: they appear in their directory all together or not at all.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "backends/text.h"

namespace kumiki::backends {

class OutputSet {
 public:
  struct File {
    std::string name;
    Text text;
  };

  // `name` is relative, with '/' between folders. DesignError when there is such a file already,
  // also when only the case differs.
  void add(std::string name, Text text);
  void add(std::string name, std::string_view text) { add(std::move(name), Text(text)); }

  // manifest.json: every file added so far with its size and SHA-256. Added last.
  void add_manifest(std::string_view generator);

  std::span<const File> files() const { return files_; }
  const File* find(std::string_view name) const;

  // Writes everything below `directory`, which is made when it does not exist. Files of an earlier
  // run that this one does not write are removed when this set has a manifest too, the one there
  // lists them and nobody has changed them since. FileError with path and reason; the directory is
  // then as it was.
  void commit(const std::filesystem::path& directory) const;

 private:
  std::vector<File> files_;
  std::unordered_set<std::string> lower_names_;
};

inline constexpr std::string_view manifest_name = "manifest.json";
inline constexpr int manifest_version = 1;

}  // namespace kumiki::backends
