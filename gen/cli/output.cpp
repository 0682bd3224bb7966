// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "backends/emit/report/report.h"
#include "ir/activity.h"

namespace kumiki::cli {

namespace fs = std::filesystem;

void say_written(const backends::OutputSet& files, const std::string& folder) {
  constexpr std::size_t most = 8;
  std::vector<std::string> names;
  for (const auto& f : files.files()) names.push_back(f.name);
  const std::size_t all = names.size();
  if (all > most) names.resize(most);
  fmt::print(stderr, "{} file{} in {}{}{}{}\n", all, all == 1 ? "" : "s", folder,
             all == 0 ? "" : ": ", fmt::join(names, ", "), all > most ? ", …" : "");
}

namespace {

// A short report for people: what was built, what it costs, whether it ran.
void print_summary(const Json& report) {
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
  Rows cells{
      {"resources", "LUT", "LUTMEM", "FF", "CARRY", "MUXF", "DSP", "BRAM18", "URAM", "slices"},
      {"total"}};
  for (const char* key : {"luts", "lut_memory", "ffs", "carry_bits", "muxf", "dsps", "bram18",
                          "uram", "dense_slices"})
    cells[1].push_back(total[key].dump());
  fmt::print(
      "{}\n{}\nlogic depth: {} levels ({} LUT, {} carry, {} other); clock by an estimate: {} MHz\n",
      backends::table(layers), backends::table(cells), report["depth"]["levels"].dump(),
      report["depth"]["luts"].dump(), report["depth"]["carries"].dump(),
      report["depth"]["others"].dump(), report["clock"]["mhz"].dump());
  if (!report.contains("lockstep")) return;
  Rows runs{{"\nlockstep", "cycles", "compared", "stalls", "resets", "seed", "result"}};
  for (const auto& r : report["lockstep"])
    runs.push_back({r["simulator"], r["cycles"].dump(), r["comparisons"].dump(), r["stalls"].dump(),
                    r["resets"].dump(), r["seed"].dump(),
                    r["passed"].get<bool>() ? "passed" : "FAILED"});
  fmt::print("{}", backends::table(runs));
}

}  // namespace

void write_part(backends::OutputSet& files, const std::string& folder, const std::string& command,
                backends::FilesOfUser theirs) {
  files.add_manifest({.generator = flow::generator(), .command = command, .is_part = true});
  files.commit(folder, theirs);
}

void finish(const Project& project, backends::OutputSet& files, const Json& report,
            const std::string& command, const Source& source, const Output& output) {
  flow::add_report(project, files, report, command, source);
  write(project, files, report, output);
}

void write(const Project& project, const backends::OutputSet& files, const Json& report,
           const Output& output) {
  const ir::Activity doing(fmt::format("writing {}", output.folder));
  files.commit(output.folder, theirs(output.force));
  if (output.json) {
    fmt::print("{}\n", backends::json_text(report));
    fmt::print(stderr, "{} files in {}\n", files.files().size(), output.folder);
    return;
  }
  print_summary(report);
  fmt::print("\n{} files in {}: report.html, {}.f and what it lists\n", files.files().size(),
             output.folder, ir::Names(project.design()).module(project.top().id()));
}

}  // namespace kumiki::cli
