// SPDX-License-Identifier: Apache-2.0
// An example of a layer type as a file that can be read, with the files it names beside it.
#pragma once
#include <filesystem>
#include <string>

#include "gen/config/document.h"

namespace kumiki::test {

// The configuration with this layer alone; `folder` is made where it is missing, and what is in
// the way is replaced.
std::filesystem::path write_example(const std::filesystem::path& folder,
                                    const gen::config::LayerType& type, const std::string& example);

}  // namespace kumiki::test
