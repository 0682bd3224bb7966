// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "backends/emit/report/report.h"
#include "backends/support/files.h"
#include "gen/cli/commands.h"
#include "gen/cli/output.h"
#include "gen/config/writer.h"

namespace kumiki::cli {
namespace {

struct CheckOptions {
  Source source;
  bool json = false;
};

int check(const CheckOptions& options, flow::Context& context) {
  const Project project(options.source.config, reading_of(options.source, context));
  auto findings = ir::check(project.design(), project.check_options());
  auto errors = std::ranges::count(findings, ir::Severity::error, &ir::Finding::severity);
  auto warnings = static_cast<std::ptrdiff_t>(findings.size()) - errors;
  if (errors == 0) write_nowhere(project);
  if (options.json) {
    gen::config::Writer w;
    w.object([&] {
      w.member("errors", errors);
      w.member("warnings", warnings);
      w.objects("findings", findings, [&](const ir::Finding& f) {
        w.member("severity", f.severity == ir::Severity::error ? "error" : "warning");
        w.member("code", f.code.word());
        w.member("module", f.module);
        w.member("place", to_string(f.place));
        w.member("message", f.message);
      });
    });
    fmt::print("{}\n", w.printed());
  } else {
    for (const ir::Finding& f : findings) fmt::print("{}\n", to_string(f));
    const auto counted = [](std::size_t n, std::string_view what) {
      return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    fmt::print("{}: {}, {}, {}, {}\n", project.document.name,
               counted(project.layers.size(), "layer"),
               counted(project.design().module_count(), "module"), counted(errors, "error"),
               counted(warnings, "warning"));
  }
  return errors == 0 ? ok : design_failed;
}

Run declare_check(CLI::App& app, Settings& settings) {
  const auto options = std::make_shared<CheckOptions>();
  add_json(app, options->json);
  add_axi_stream(app, options->source);
  add_source(app, options->source, settings);
  return runs(check, options);
}

}  // namespace

Command check_command() {
  return {"check", "read a configuration, build the netlist and check it", declare_check};
}

}  // namespace kumiki::cli
