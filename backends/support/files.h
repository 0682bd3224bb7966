// SPDX-License-Identifier: Apache-2.0
// The files of one run: they appear in their directory all together or not at all.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "backends/support/manifest.h"
#include "backends/support/text.h"
#include "ir/error.h"

namespace kumiki::backends {

// What happens to files that no manifest names, or that were changed since: an error, or they are
// replaced.
enum class FilesOfUser { keep, replace };

class OutputSet {
 public:
  struct File {
    std::string name;
    Text text;
  };
  // Who writes, for the manifest.
  struct Run {
    std::string generator;
    std::string command = {};  // files that it wrote before and does not write now are removed
    std::string project = {};
    std::string design = {};  // files of another design are not kept
    bool is_part = false;     // it adds to what is there: nothing is removed
  };

  // `name` is relative, with '/' between folders. DesignError when there is such a file already,
  // also when only the case differs.
  void add(std::string name, Text text);
  void add(std::string name, std::string_view text) { add(std::move(name), Text(text)); }

  // manifest.json: every file added so far with its size and SHA-256. Added last.
  void add_manifest(const Run& run);
  void add_manifest(std::string_view generator) {
    add_manifest(Run{.generator = std::string(generator)});
  }

  std::span<const File> files() const { return files_; }
  const File* find(std::string_view name) const;

  // Writes everything below `directory`, which is made when it does not exist. Replaces files that
  // the manifest there names and nobody has changed, or that hold the same. With a manifest of its
  // own the run also removes what an earlier one has written and this one does not, and lists what
  // stays of other commands; files of another project go with a word. FileError with path and
  // reason; the directory is then as it was.
  void commit(const std::filesystem::path& directory, FilesOfUser theirs = FilesOfUser::keep) const;

  // What `commit` would refuse of files of these names with other texts: asked before a computation
  // that takes long. FileError.
  void require_replaceable(const std::filesystem::path& directory, FilesOfUser theirs) const;

 private:
  std::vector<File> files_;
  std::unordered_set<std::string> lower_names_;
  std::optional<Run> run_;
};

// Writes one file that the user has named; everything that the program writes under a name of the
// user's goes through this or an OutputSet. `keep`: what is there, a link too, is an error.
// `replace`: it is replaced, and a link is followed to the file that is meant. FileError.
void write_named_file(const std::filesystem::path& path, std::string_view text, FilesOfUser theirs);
Diagnostic is_there_already(const std::filesystem::path& path);

}  // namespace kumiki::backends
