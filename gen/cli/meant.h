// SPDX-License-Identifier: Apache-2.0
// For a command or an option that does not exist: what may have been meant.
#pragma once
#include <optional>

#include <CLI/CLI.hpp>

#include "gen/cli/command.h"

namespace kumiki::cli {

// Nothing when all commands and options of the line are known.
std::optional<UsageError> what_was_meant(const CLI::App& app, int argc, char** argv);

}  // namespace kumiki::cli
