// SPDX-License-Identifier: Apache-2.0
// A command or an option that is not there: what may have been meant.
#pragma once
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace kumiki::cli {

// A sentence; nothing when all commands and options of the line are known.
std::optional<std::string> what_was_meant(const CLI::App& app, int argc, char** argv);

}  // namespace kumiki::cli
