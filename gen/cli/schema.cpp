// SPDX-License-Identifier: Apache-2.0
#include "gen/config/schema.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/emit/report/report.h"
#include "gen/cli/commands.h"
#include "gen/layers/catalog.h"

namespace kumiki::cli {
namespace {

Run declare_schema(CLI::App&, Settings&) {
  return [](flow::Context&) -> int {
    fmt::print("{}\n", backends::json_text(gen::config::schema(gen::registry())));
    return ok;
  };
}

}  // namespace

Command schema_command() {
  return {"schema", "print the JSON schema of configurations", declare_schema};
}

}  // namespace kumiki::cli
