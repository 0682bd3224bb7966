// SPDX-License-Identifier: Apache-2.0
// The manual page and the completion of shells, made of the same table as --help.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

namespace kumiki::cli {

std::string manual_page(const CLI::App& app, const std::string& version);

enum class Shell { bash, zsh, fish };
std::string completion(const CLI::App& app, Shell shell);

}  // namespace kumiki::cli
