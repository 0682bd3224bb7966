// SPDX-License-Identifier: Apache-2.0
// Suggests what was meant by an unknown command or option.
#pragma once
#include <optional>

#include <CLI/CLI.hpp>

#include "gen/cli/command.h"

namespace kumiki::cli {

// Empty if all commands and options of the line are known.
std::optional<UsageError> what_was_meant(const CLI::App& app, int argc, char** argv);

}  // namespace kumiki::cli
