// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/options_of.h"

#include <algorithm>

namespace kumiki::cli {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* a) { return !a->get_group().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, bool positional) {
  return app.get_options([=](const CLI::Option* o) {
    return o->get_positional() == positional && !o->get_group().empty();
  });
}

bool takes_value(const CLI::Option& o) { return o.get_items_expected_max() > 0; }

// The words that IsMember allows: CLI11 puts them into the name of the type, as TEXT:{a,b}.
Words choices_of(const CLI::Option& o) {
  const auto type = o.get_type_name();
  const auto open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  Words words;
  for (std::size_t at = open + 1; at < close;) {
    const auto end = std::min(type.find(',', at), close);
    words.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

Words spellings(const CLI::Option& o) {
  Words words;
  for (const auto& s : o.get_snames()) words.push_back("-" + s);
  for (const auto& l : o.get_lnames()) words.push_back("--" + l);
  return words;
}

Words all_spellings(const CLI::App& c) {
  Words all;
  for (const auto* o : options_of(c, false))
    for (const auto& s : spellings(*o)) all.push_back(s);
  return all;
}

}  // namespace kumiki::cli
