// SPDX-License-Identifier: Apache-2.0
// manifest.json: the files of a folder that our runs have written, with their content, to detect
// changes.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/support/sha256.h"

namespace kumiki::backends {

inline constexpr std::string_view manifest_name = "manifest.json";
inline constexpr int manifest_version = 1;

struct Manifest {
  std::string generator;
  std::string project;  // the configuration's name
  std::string design;   // a hash of the netlist: files made from another one do not belong to it
  struct File {
    std::string name;
    Fingerprint content;
    std::string by;  // the command that wrote it
  };
  std::vector<File> files;

  const File* find(std::string_view name) const;
};

std::string to_text(const Manifest& manifest);

// Empty if `text` is not a manifest of ours. Skips broken entries.
std::optional<Manifest> parse_manifest(std::string_view text);
// The text of a folder's manifest; empty unless both belong to the user who runs the program.
std::string text_of_manifest(const std::filesystem::path& directory);

}  // namespace kumiki::backends
