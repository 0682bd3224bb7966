// SPDX-License-Identifier: Apache-2.0
// The files of one run: they appear in their directory all together or not at all.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "backends/support/cache.h"
#include "backends/support/manifest.h"
#include "backends/support/text.h"
#include "ir/error.h"

namespace kumiki::backends {

// What happens to files that no manifest names or that were changed since: an error, or they are
// replaced.
enum class FilesOfUser { keep, replace };

class OutputSet {
 public:
  struct File {
    std::string name;
    Text text;
  };
  // The writer, for the manifest.
  struct Run {
    std::string generator;
    std::string command = {};  // files that it wrote before and does not write now are removed
    std::string project = {};
    std::string design = {};  // files of another design are not kept
    bool is_part = false;     // adds to the existing files and removes nothing
  };

  // `cache` remembers the manifests that this user's runs have written.
  OutputSet() = default;
  explicit OutputSet(Cache cache) : cache_(std::move(cache)) {}

  // `name` is relative, with '/' between folders. DesignError if there is already such a file, even
  // if only the case differs.
  void add(std::string name, Text text);
  void add(std::string name, std::string_view text) { add(std::move(name), Text(text)); }

  // manifest.json: every file added so far with its size and SHA-256. Added last.
  void add_manifest(const Run& run);
  void add_manifest(std::string_view generator) {
    add_manifest(Run{.generator = std::string(generator)});
  }

  std::span<const File> files() const { return files_; }
  const File* find(std::string_view name) const;

  // Writes everything below `directory`, and makes the directory if necessary. Replaces files that
  // the manifest there names and nobody has changed, or that have the same content. A run with its
  // own manifest also removes files that an earlier run wrote and this run does not, if the cache
  // remembers that run; otherwise they stay, with a notice. It lists the remaining files of other
  // commands. It replaces files of another project, with a notice.
  // FileError with path and reason; the directory is then unchanged.
  void commit(const std::filesystem::path& directory, FilesOfUser theirs = FilesOfUser::keep) const;

  // Checks in advance what `commit` would refuse for files of these names with other texts; for use
  // before a long computation. FileError.
  void require_replaceable(const std::filesystem::path& directory, FilesOfUser theirs) const;

 private:
  Cache cache_;
  std::vector<File> files_;
  std::unordered_set<std::string> lower_names_;
  std::optional<Run> run_;
};

// Writes one file named by the user. The program writes everything under such a name through this
// function or an OutputSet. `keep`: an existing file or link is an error. `replace`: it is
// replaced; a link is followed to its target. FileError.
void write_named_file(const std::filesystem::path& path, std::string_view text, FilesOfUser theirs);
Diagnostic is_there_already(const std::filesystem::path& path);

}  // namespace kumiki::backends
