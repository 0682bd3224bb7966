// SPDX-License-Identifier: Apache-2.0
// The manual page, made of the same table as --help.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

namespace kumiki::cli {

std::string manual_page(const CLI::App& app, const std::string& version);

}  // namespace kumiki::cli
