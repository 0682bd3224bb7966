// SPDX-License-Identifier: Apache-2.0
// `list` and `schema`: what a configuration may say.
#include <fmt/format.h>

#include "gen/catalog.h"
#include "gen/cli/cli.h"
#include "gen/config/help.h"
#include "gen/config/nearest.h"
#include "gen/config/schema.h"

namespace kumiki::cli {

int schema(const Options&) {
  fmt::print("{}\n", gen::config::schema(gen::registry()).dump(2));
  return ok;
}

int list(const Options& options) {
  if (options.json) {
    gen::Json all = gen::Json::array();
    for (const auto& t : gen::registry().types())
      if (options.type.empty() || t.name == options.type)
        all.push_back({{"type", t.name}, {"help", t.help}, {"schema", t.table->schema()}});
    fmt::print("{}\n", all.dump(2));
    return ok;
  }
  if (options.type.empty()) {
    fmt::print("{}", gen::config::help(gen::registry()));
    return ok;
  }
  if (const auto* type = gen::registry().find(options.type)) {
    fmt::print("{}", gen::config::help(*type));
    return ok;
  }
  std::vector<std::string> names;
  for (const auto& t : gen::registry().types()) names.push_back(t.name);
  auto meant = gen::config::nearest(options.type, names);
  fmt::print(stderr, "kumiki: \"{}\" is no layer type: {}\n", options.type,
             meant ? fmt::format("did you mean \"{}\"?", *meant)
                   : gen::config::alternatives(names) + " is legal");
  return usage;
}

}  // namespace kumiki::cli
