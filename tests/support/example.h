// SPDX-License-Identifier: Apache-2.0
// An example of a layer type as a readable file, with the files that it names next to it.
#pragma once
#include <filesystem>
#include <string>

#include "gen/config/document.h"

namespace kumiki::test {

// Writes a configuration with this layer alone; creates `folder` if missing and overwrites existing
// files.
std::filesystem::path write_example(const std::filesystem::path& folder,
                                    const gen::config::LayerType& type, const std::string& example);

}  // namespace kumiki::test
