// SPDX-License-Identifier: Apache-2.0
// manifest.json: the files of a folder that runs of ours have written, and whether they are still
// as they were written.
#pragma once
#include <filesystem>
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
  std::string design;   // a hash of the netlist: what was made of another one does not belong to it
  struct File {
    std::string name;
    Fingerprint content;
    std::string by;  // the command that wrote it
  };
  std::vector<File> files;

  const File* find(std::string_view name) const;
};

std::string to_text(const Manifest& manifest);

// Nothing when `text` is no manifest of ours. Broken entries are left out.
std::optional<Manifest> parse_manifest(std::string_view text);
// Whether a run of ours can have written a file of this name: an ending of ours, or one of the few
// names without one. What a manifest names beside these was put into it by somebody else.
bool may_be_ours(std::string_view name);
// The manifest of a folder: both belong to whoever runs the program.
std::optional<Manifest> read_manifest(const std::filesystem::path& directory);

}  // namespace kumiki::backends
