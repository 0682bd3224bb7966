// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/command.h"

#include <CLI/CLI.hpp>

namespace kumiki::cli {

void add_commands(CLI::App& app, std::span<const Command> commands, Settings& settings,
                  const std::shared_ptr<Run>& chosen) {
  app.require_subcommand(1);
  for (const Command& c : commands) {
    CLI::App* below = app.add_subcommand(c.name, c.help);
    if (c.is_hidden) below->group("");
    below->callback([chosen, run = c.declare(*below, settings)] { *chosen = run; });
  }
}

}  // namespace kumiki::cli
