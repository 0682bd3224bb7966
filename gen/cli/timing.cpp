// SPDX-License-Identifier: Apache-2.0
// `timing`: estimates the fastest clock of a netlist without vendor tools.
#include <fmt/format.h>

#include <algorithm>

#include "backends/emit/report/report.h"
#include "backends/timing/text.h"
#include "gen/cli/commands.h"
#include "gen/cli/options.h"
#include "gen/flow/files/clock.h"

namespace kumiki::cli {
namespace timing_command_of {
namespace {

using namespace backends::timing;
using Rows = std::vector<std::vector<std::string>>;

struct Options {
  Source source;
  std::string layer;
  std::optional<int> grade;
  std::optional<double> mhz, period;
  std::size_t paths = 3;
  bool json = false;
};

std::string ns(double picoseconds) { return fmt::format("{:.3f}", picoseconds / 1000); }

std::string levels_text(const backends::Levels& l) {
  return fmt::format("{} level{} ({} LUT, {} carry, {} other)", l.total(),
                     l.total() == 1 ? "" : "s", l.luts, l.carries, l.others);
}

// One row for every cell; the last row is the end of the path, with its setup.
std::string path_table(const Netlist& netlist, Labels& labels, const Path& path) {
  Rows rows{{"   cell", "fan-out", "wire", "in cell", "at ns"}};
  std::vector<std::string> places{"made at"};
  for (const Step& s : path.steps) {
    const bool port = s.cell == none;
    rows.push_back({fmt::format("   {} {}", port ? "port" : labels.kind(s.cell), labels.step(s)),
                    std::to_string(netlist.fan_out[s.net]), s.is_launch() ? "" : ns(s.wire),
                    ns(s.own), ns(s.at)});
    places.push_back(port ? "" : labels.place(s.cell));
  }
  const Endpoint& e = path.end;
  const bool port = e.cell == none;
  rows.push_back({fmt::format("   {} {}", port ? "port" : labels.kind(e.cell), labels.end(e)), "",
                  ns(e.wire), ns(e.setup), ns(e.needed)});
  places.push_back(port ? "" : labels.place(e.cell));
  const std::string aligned = backends::table(rows);
  std::string text;
  std::size_t from = 0;
  for (const std::string& place : places) {
    const std::size_t end = aligned.find('\n', from);
    text +=
        fmt::format("{}{}{}\n", aligned.substr(from, end - from), place.empty() ? "" : "  ", place);
    from = end + 1;
  }
  return text;
}

void print(const Netlist& netlist, const Analysis& a, const Goal& goal, const std::string& name) {
  fmt::print("{}, {} -{}, an estimate: {} ns, {:.0f} MHz; deepest {}\n", name,
             ir::family_name(netlist.flat.design->family()), goal.grade.value, ns(a.period_ps),
             a.mhz(), levels_text(a.depth));
  fmt::print("slowest path {} ns;", ns(a.worst));
  for (const backends::timing::Limit& l : a.limits) {
    const bool tree = l.what == clock_tree;
    fmt::print("{} {}{} {} MHz", &l == a.limits.data() ? "" : ",",
               tree ? "" : fmt::format("{} ", l.cells), l.what, l.mhz);
  }
  fmt::print("\n");
  Labels labels(netlist);
  for (std::size_t i = 0; i < a.paths.size(); ++i) {
    const Path& p = a.paths[i];
    const double time = goal.period_ps.value_or(0) / (p.end.in_half ? 2 : 1);
    const std::string slack =
        goal.period_ps ? fmt::format(", slack {}", ns(time - p.end.needed)) : "";
    fmt::print("\n{}. {} ns{}{}, {}, {} end{}\n{}", i + 1, ns(p.end.needed),
               p.end.in_half ? " in half a clock" : "", slack, levels_text(p.levels), p.ends,
               p.ends == 1 ? "" : "s", path_table(netlist, labels, p));
  }
  std::size_t most = 1;
  for (const Bar& b : a.slack) most = std::max(most, b.ends);
  fmt::print("\nslack of {} ends at {} ns\n", a.ends, ns(goal.period_ps.value_or(a.period_ps)));
  for (const Bar& b : a.slack)
    fmt::print("{:>8} to {:>6} {:>8} {}\n", ns(b.from_ps), ns(b.to_ps), b.ends,
               std::string((b.ends * 40 + most - 1) / most, '#'));
  if (goal.period_ps)
    fmt::print("{:.0f} MHz is {}\n", 1e6 / *goal.period_ps,
               a.period_ps <= *goal.period_ps
                   ? "met by this estimate"
                   : fmt::format("missed by this estimate: {} of {} ends", a.missed, a.ends));
}

// Selects a single layer, with flip-flops around its ports.
void take_layer(Project& project, const std::string& name) {
  std::vector<std::string> names;
  for (const gen::BuiltLayer& l : project.network.layers) {
    if (l.layer->name == name) return project.builder.design().set_top(l.module);
    names.push_back(l.layer->name);
  }
  throw UsageError(code::unknown_name, fmt::format("unknown layer \"{}\"; use {}", name,
                                                   gen::config::alternatives(names)));
}

int run(const Options& options, flow::Context& context) {
  Project project(options.source.config, reading_of(options.source, context));
  project.require_legal();
  Goal goal{.grade = flow::grade_of(project.document.target.part, options.grade),
            .paths = options.paths};
  if (options.mhz) goal.period_ps = 1e6 / *options.mhz;
  if (options.period) goal.period_ps = *options.period * 1000;
  if (!options.layer.empty()) take_layer(project, options.layer);
  const std::string name = options.layer.empty() ? project.document.name : options.layer;
  const Netlist netlist(project.design());
  const Analysis analysis = analyse(netlist, goal);
  if (options.json) {
    gen::config::Writer w;
    w.object([&] {
      w.member("name", name);
      w.member("family", ir::family_name(netlist.flat.design->family()));
      flow::write_clock(w, netlist, analysis, goal);
    });
    fmt::print("{}\n", w.printed());
  } else {
    print(netlist, analysis, goal, name);
  }
  return goal.period_ps && analysis.period_ps > *goal.period_ps ? design_failed : ok;
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  app.add_option("--layer", o->layer, "this layer alone");
  add_grade(app, o->grade);
  auto* mhz = number(app, "--mhz", o->mhz, any_clock,
                     "the clock that paths are held against; exit code 1 when it is missed");
  number(app, "--period", o->period, {0.5, 1000.0}, "the same as ns")->excludes(mhz);
  number(app, "--paths", o->paths, {0, 1000}, "how many paths are shown")->capture_default_str();
  add_json(app, o->json);
  add_axi_stream(app, o->source);
  add_source(app, o->source, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace timing_command_of

Command timing_command() {
  return {"timing", "estimate the fastest clock of the netlist and show its slowest paths",
          timing_command_of::declare};
}

}  // namespace kumiki::cli
