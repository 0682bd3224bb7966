// SPDX-License-Identifier: Apache-2.0
// `synth`: Yosys reads the netlist and counts it; its count stands beside our own, and beside
// layers without DSP slices what it makes of their definition.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/emit/report/report.h"
#include "backends/emit/yosys/yosys.h"
#include "gen/cli/fabric.h"
#include "gen/cli/output.h"

namespace kumiki::cli {

int synthesize(const Options& options) {
  Project project(options.config, reading_of(options));
  project.require_legal();
  backends::OutputSet files;
  Json report = add_netlist(project, files, options);
  const ir::Names names(project.design());
  files.add(fmt::format("{}.json", names.module(project.design().top_id())),
            backends::yosys_json(names));
  const auto theirs = backends::count_with_yosys(names);
  const auto ours = backends::count_resources(project.design());
  const bool agrees = theirs.cells == ours.cells;
  report["yosys"] = {{"version", theirs.version}, {"cells", theirs.cells}, {"agrees", agrees}};
  if (options.naive) {
    const auto forms = naive_forms(project, options.seconds);
    for (std::size_t i = 0; i < forms.size(); ++i) report["layers"][i]["naive"] = forms[i];
  }
  if (!options.json) {
    std::vector<std::vector<std::string>> rows{{"cells", "Kumiki", "Yosys"}};
    auto all = ours.cells;
    all.insert(theirs.cells.begin(), theirs.cells.end());
    auto in = [](const auto& cells, const std::string& name) {
      auto at = cells.find(name);
      return std::to_string(at == cells.end() ? 0 : at->second);
    };
    for (const auto& [name, n] : all)
      rows.push_back({name, in(ours.cells, name), in(theirs.cells, name)});
    fmt::print("{}", backends::table(rows));
  }
  finish(project, files, report, "synth", options);
  if (!agrees) fmt::print(stderr, "kumiki: the counts differ\n");
  return agrees ? ok : design_failed;
}

}  // namespace kumiki::cli
