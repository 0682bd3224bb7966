// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/meant.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/cli/options_of.h"
#include "gen/config/kind.h"
#include "gen/config/nearest.h"

namespace kumiki::cli {

using gen::config::did_you_mean;

std::optional<UsageError> what_was_meant(const CLI::App& app, int argc, char** argv) {
  const Words words(argv + 1, argv + argc);
  const CLI::App* command = &app;
  auto word = words.begin();
  // Down to the command that is meant: `bench packing`.
  while (true) {
    const auto all = command->get_subcommands([](const CLI::App*) { return true; });  // hidden too
    if (all.empty()) break;
    const auto is_name = [](const std::string& w) { return !w.starts_with('-'); };
    const auto name = std::find_if(word, words.end(), is_name);
    if (name == words.end()) break;
    const auto below = std::ranges::find(all, *name, &CLI::App::get_name);
    if (below == all.end()) {
      Words names;
      for (const auto* c : commands_of(*command)) names.push_back(c->get_name());
      return UsageError(
          Code::unknown_command,
          fmt::format("unknown {} \"{}\"{}",
                      command == &app ? "command" : "table of " + command->get_name(), *name,
                      did_you_mean(*name, names, "use " + gen::config::alternatives(names))));
    }
    command = *below;
    word = name + 1;
  }
  if (command == &app) return std::nullopt;
  const Words legal = all_spellings(*command);
  for (; word != words.end() && *word != "--"; ++word) {
    const auto option = word->substr(0, word->find('='));
    if (!option.starts_with("--") || std::ranges::find(legal, option) != legal.end()) continue;
    return UsageError(
        Code::unknown_option,
        fmt::format("\"{}\" is not an option of {}{}", option, path_of(*command),
                    did_you_mean(option, legal,
                                 fmt::format("kumiki {} --help shows them", path_of(*command)))));
  }
  return std::nullopt;
}

}  // namespace kumiki::cli
