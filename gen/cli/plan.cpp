// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "backends/support/files.h"
#include "gen/cli/beats.h"
#include "gen/cli/cli.h"
#include "gen/cli/output.h"
#include "gen/cli/plan_device.h"
#include "gen/cli/project.h"

namespace kumiki::cli {

namespace {

void print_indented(const std::string& text) {
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    fmt::print("  {}\n", text.substr(at, end - at));
  }
}

}  // namespace

int plan(const Options& options) {
  if (!options.device.empty()) return plan_on_device(options);
  Plans plans(options.config, reading_of(options));
  if (!options.pictures.empty()) {
    backends::OutputSet files;
    add_pictures(plans.layers, files);
    write_part(files, options.pictures, "plan", options);
    say_written(files, options.pictures);
  }
  if (options.json) {
    gen::config::Writer w;
    w.object([&] {
      w.member("name", plans.document.name);
      w.member("family", ir::family_name(plans.document.target.family));
      w.objects("layers", plans.layers, [&](const gen::NamedLayer& l) {
        w.member("name", l.name);
        w.member("type", l.type);
        write_plan(w, *l.layer);
        if (options.all) l.layer->write_alternatives(w);
      });
    });
    fmt::print("{}\n", backends::json_text(w.take()));
    return ok;
  }
  for (const gen::NamedLayer& l : plans.layers) {
    fmt::print("{}{} ({})\n", &l == &plans.layers.front() ? "" : "\n", l.name, l.type);
    print_indented(plan_text(*l.layer));
    if (!options.all) continue;
    if (const std::string others = l.layer->alternatives_text(); !others.empty()) {
      fmt::print("  alternatives\n");
      print_indented(others);
    }
  }
  return ok;
}

}  // namespace kumiki::cli
