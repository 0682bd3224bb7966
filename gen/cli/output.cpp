// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/output.h"

#include <fmt/format.h>

#include "backends/verilog/verilog.h"

namespace kumiki::cli {

std::string generator() { return std::string("kumiki ") + KUMIKI_VERSION; }

gen::Json add_netlist(const Project& project, backends::OutputSet& files) {
  auto sign = generator();
  backends::write_verilog(ir::Names(project.design()), files, {.generator = sign, .models = true});
  gen::Json layers = gen::Json::array();
  for (const gen::BuiltLayer& l : project.network.layers) {
    gen::Json one{{"name", l.layer->name},
                  {"type", l.layer->type},
                  {"module", project.design().module(l.module).name()}};
    one["plan"] = l.layer->layer->plan_json();
    layers.push_back(std::move(one));
  }
  return {{"name", project.document.name},
          {"family", ir::family_name(project.document.target.family)},
          {"layers", std::move(layers)}};
}

void finish(backends::OutputSet& files, const gen::Json& report, const Options& options) {
  files.add("report.json", report.dump(2) + "\n");
  files.add_manifest(generator());
  files.commit(options.out);
  if (options.json) {
    fmt::print("{}\n", report.dump(2));
    return;
  }
  fmt::print("{} files in {}\n", files.files().size(), options.out);
}

}  // namespace kumiki::cli
