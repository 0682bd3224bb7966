// SPDX-License-Identifier: Apache-2.0
// The completion of shells, made of the same table as --help and of what there is to name.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

namespace kumiki::cli {

enum class Shell { bash, zsh, fish };
std::string completion(const CLI::App& app, Shell shell);

// The layers of a configuration, a name a line; with `networks` those that its arrays run. What
// cannot be read has none: this is asked while somebody types.
std::string layer_names(const std::string& config, bool networks);

}  // namespace kumiki::cli
