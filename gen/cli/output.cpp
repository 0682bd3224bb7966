// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/output.h"

#include <fmt/format.h>

#include "backends/report/report.h"
#include "backends/verilog/verilog.h"
#include "gen/cli/page.h"

namespace kumiki::cli {

std::string generator() { return std::string("kumiki ") + KUMIKI_VERSION; }

std::vector<gen::Json> add_pictures(const std::vector<gen::NamedLayer>& layers,
                                    backends::OutputSet& files) {
  std::vector<gen::Json> names;
  for (const gen::NamedLayer& l : layers) {
    gen::Json own = gen::Json::array();
    for (const gen::Picture& picture : l.layer->pictures()) {
      own.push_back(fmt::format("{}.{}.svg", l.name, picture.name));
      files.add(own.back().get<std::string>(), picture.svg);
    }
    names.push_back(std::move(own));
  }
  return names;
}

gen::Json add_netlist(const Project& project, backends::OutputSet& files) {
  auto sign = generator();
  backends::write_verilog(ir::Names(project.design()), files, {.generator = sign, .models = true});
  const auto pictures = add_pictures(project.layers, files);
  gen::Json layers = gen::Json::array();
  for (const gen::BuiltLayer& l : project.network.layers) {
    gen::Json one{{"name", l.layer->name},
                  {"type", l.layer->type},
                  {"module", project.design().module(l.module).name()}};
    one["pictures"] = pictures[layers.size()];
    one["plan"] = l.layer->layer->plan_json();
    layers.push_back(std::move(one));
  }
  return {{"report", backends::report_version},
          {"name", project.document.name},
          {"family", ir::family_name(project.document.target.family)},
          {"layers", std::move(layers)},
          {"resources", to_json(backends::count_resources(project.design()))},
          {"depth", to_json(backends::logic_depth(project.design()))}};
}

namespace {

// The report as a person wants it first: what was built, what it costs, whether it ran.
void print_summary(const gen::Json& report) {
  using Rows = std::vector<std::vector<std::string>>;
  Rows layers{{"layer", "type", "slices", "MAC", "MAC/slice", "latency"}};
  for (const auto& l : report["layers"]) {
    const auto& p = l["plan"];
    auto get = [&](const char* key) { return p.contains(key) ? p[key].dump() : "-"; };
    std::string ratio = "-";
    for (const char* key : {"mac_per_slice_value", "mac_per_slice_peak"})
      if (p.contains(key)) ratio = fmt::format("{:.3f}", p[key].get<double>());
    layers.push_back({l["name"], l["type"], get("slices"), get("macs"), ratio, get("latency")});
  }
  const auto& total = report["resources"]["total"];
  Rows cells{{"resources", "LUT", "LUTMEM", "FF", "CARRY", "MUXF", "DSP", "BRAM18", "slices"},
             {"total"}};
  for (const char* key :
       {"luts", "lut_memory", "ffs", "carry_bits", "muxf", "dsps", "bram18", "dense_slices"})
    cells[1].push_back(total[key].dump());
  fmt::print("{}\n{}\nlogic depth: {} levels ({} LUT, {} carry, {} other)\n",
             backends::table(layers), backends::table(cells), report["depth"]["levels"].dump(),
             report["depth"]["luts"].dump(), report["depth"]["carries"].dump(),
             report["depth"]["others"].dump());
  if (!report.contains("lockstep")) return;
  Rows runs{{"\nlockstep", "cycles", "compared", "stalls", "resets", "seed", "result"}};
  for (const auto& r : report["lockstep"])
    runs.push_back({r["simulator"], r["cycles"].dump(), r["comparisons"].dump(), r["stalls"].dump(),
                    r["resets"].dump(), r["seed"].dump(),
                    r["passed"].get<bool>() ? "passed" : "FAILED"});
  fmt::print("{}", backends::table(runs));
}

}  // namespace

void finish(const Project& project, backends::OutputSet& files, const gen::Json& report,
            const Options& options) {
  files.add("report.html", page(project, report, files, options));
  files.add("report.json", report.dump(2) + "\n");
  files.add_manifest(generator());
  files.commit(options.out);
  if (options.json) {
    fmt::print("{}\n", report.dump(2));
    return;
  }
  print_summary(report);
  fmt::print("\n{} files in {}\n", files.files().size(), options.out);
}

}  // namespace kumiki::cli
