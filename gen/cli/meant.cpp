// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/meant.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/cli/options_of.h"
#include "gen/config/kind.h"
#include "gen/config/nearest.h"

namespace kumiki::cli {

std::optional<std::string> what_was_meant(const CLI::App& app, int argc, char** argv) {
  const Words words(argv + 1, argv + argc);
  const auto first =
      std::ranges::find_if(words, [](const std::string& w) { return !w.starts_with('-'); });
  if (first == words.end()) return std::nullopt;
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });  // hidden ones too
  const auto command = std::ranges::find(all, *first, &CLI::App::get_name);
  if (command == all.end()) {
    Words names;
    for (const auto* c : commands_of(app)) names.push_back(c->get_name());
    const auto meant = gen::config::nearest(*first, names);
    return fmt::format("\"{}\" is no command: {}", *first,
                       meant ? fmt::format("did you mean \"{}\"?", *meant)
                             : gen::config::alternatives(names) + " is legal");
  }
  const Words legal = all_spellings(**command);
  for (auto word = first + 1; word != words.end() && *word != "--"; ++word) {
    const auto option = word->substr(0, word->find('='));
    if (!option.starts_with("--") || std::ranges::find(legal, option) != legal.end()) continue;
    const auto meant = gen::config::nearest(option, legal);
    return fmt::format("\"{}\" is no option of {}: {}", option, *first,
                       meant ? fmt::format("did you mean \"{}\"?", *meant)
                             : fmt::format("kumiki {} --help shows them", *first));
  }
  return std::nullopt;
}

}  // namespace kumiki::cli
