// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/meant.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/cli/options_of.h"
#include "gen/config/kind.h"
#include "gen/config/nearest.h"
#include "gen/flow/messages.h"

namespace kumiki::cli {

using gen::config::did_you_mean;

std::optional<UsageError> what_was_meant(const CLI::App& app, int argc, char** argv) {
  const Words words(argv + 1, argv + argc);
  const auto name = std::ranges::find_if(words, [](const auto& w) { return !w.starts_with('-'); });
  if (name == words.end()) return std::nullopt;
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });  // hidden too
  const auto command = std::ranges::find(all, *name, &CLI::App::get_name);
  if (command == all.end()) {
    Words names;
    for (const auto* c : commands_of(app)) names.push_back(c->get_name());
    return UsageError(
        code::unknown_command,
        fmt::format("unknown command \"{}\"{}", *name,
                    did_you_mean(*name, names, "use " + gen::config::alternatives(names))));
  }
  const Words legal = all_spellings(**command);
  for (auto word = name + 1; word != words.end() && *word != "--"; ++word) {
    const auto option = word->substr(0, word->find('='));
    if (!option.starts_with("--") || std::ranges::find(legal, option) != legal.end()) continue;
    return UsageError(
        code::unknown_option,
        fmt::format("\"{}\" is not an option of {}{}", option, (*command)->get_name(),
                    did_you_mean(option, legal,
                                 fmt::format("{} {} --help shows them", app.get_name(),
                                             (*command)->get_name()))));
  }
  return std::nullopt;
}

}  // namespace kumiki::cli
