// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "backends/emit/report/report.h"
#include "backends/support/files.h"
#include "gen/cli/cli.h"
#include "gen/cli/output.h"
#include "gen/cli/project.h"

namespace kumiki::cli {

namespace {

// All that gen would write, thrown away: what it refuses, check refuses.
void write_nowhere(const Project& project, const Options& options) {
  backends::OutputSet files;
  add_netlist(project, files, options);
}

}  // namespace

int check(const Options& options) {
  Project project(options.config, reading_of(options));
  auto findings = ir::check(project.design(), project.check_options());
  auto errors = std::ranges::count(findings, ir::Severity::error, &ir::Finding::severity);
  auto warnings = static_cast<std::ptrdiff_t>(findings.size()) - errors;
  if (errors == 0) write_nowhere(project, options);
  if (options.json) {
    gen::Json all = gen::Json::array();
    for (const ir::Finding& f : findings)
      all.push_back({{"severity", f.severity == ir::Severity::error ? "error" : "warning"},
                     {"code", ir::code_word(f.code)},
                     {"module", f.module},
                     {"place", to_string(f.place)},
                     {"message", f.message}});
    fmt::print("{}\n", backends::json_text(gen::Json{
                           {"errors", errors}, {"warnings", warnings}, {"findings", all}}));
  } else {
    for (const ir::Finding& f : findings) fmt::print("{}\n", to_string(f));
    fmt::print("{}: {} layers, {} modules, {} errors, {} warnings\n", project.document.name,
               project.layers.size(), project.design().module_count(), errors, warnings);
  }
  return errors == 0 ? ok : design_failed;
}

}  // namespace kumiki::cli
