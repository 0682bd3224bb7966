// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sweep/figure.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "backends/fabric/slices.h"
#include "backends/sim/lockstep/report.h"
#include "backends/timing/analysis.h"
#include "gen/flow/files/clock.h"
#include "gen/flow/files/generate.h"
#include "gen/flow/run.h"
#include "ir/activity.h"
#include "ir/resources.h"

namespace kumiki::flow::sweep {
namespace {

constexpr Figure table[] = {
    {"slices", Step::plan, Better::less, "DSP slices of all layers"},
    {"macs_per_clock", Step::plan, Better::more, "products a clock of all layers"},
    {"mac_per_slice", Step::plan, Better::more, "products a slice and clock"},
    {"latency", Step::plan, Better::less, "clocks from operands to results, of the slowest layer"},
    {"frame_clocks", Step::plan, Better::less, "clocks from frame to frame, of the slowest layer"},
    {"luts", Step::check, Better::less, "LUT sites of the netlist, without memories"},
    {"lut_memory", Step::check, Better::less, "LUT sites that are memories or shift registers"},
    {"ffs", Step::check, Better::less, "flip-flops"},
    {"carry_bits", Step::check, Better::less, "positions of carry chains"},
    {"bram18", Step::check, Better::less, "block RAM, in halves of 18 Kibit"},
    {"uram", Step::check, Better::less, "UltraRAM"},
    {"lut_per_mac", Step::check, Better::less, "LUT sites a product a clock"},
    {"dense_slices", Step::check, Better::less,
     "slices of LUTs (CLBs in UltraScale), packed densely"},
    {"levels", Step::timing, Better::less, "levels of logic between registers"},
    {"period_ns", Step::timing, Better::less, "shortest period, an estimate"},
    {"mhz", Step::timing, Better::more, "fastest clock, an estimate"},
    {"gops", Step::timing, Better::more, "two operations a product at that clock"},
    {"exact", Step::sim, Better::neither, "whether the netlist was equal to its model in lockstep"},
    {"comparisons", Step::sim, Better::neither, "outputs compared in lockstep"},
};

double rounded(double value, double steps) { return std::round(value * steps) / steps; }

Json rounded_or_null(double value, double by) {
  return by > 0 ? Json(rounded(value / by, 10'000)) : Json();
}

struct Sums {
  double macs = 0;
  std::int64_t slices = 0;
};

Sums add_plan(const std::vector<gen::NamedLayer>& layers, Json& to) {
  Sums sums;
  std::optional<std::int64_t> latency, frame;
  bool has_latency = true;  // for all layers
  for (const gen::NamedLayer& l : layers) {
    const gen::Facts facts = l.layer->facts();
    sums.macs += facts.macs_per_clock.value_or(0);
    sums.slices += facts.slices;
    has_latency &= facts.latency.has_value();
    if (facts.latency) latency = std::max(latency.value_or(0), *facts.latency);
    if (facts.frame) frame = std::max(frame.value_or(0), facts.frame->clocks);
  }
  to["slices"] = sums.slices;
  to["macs_per_clock"] = sums.macs > 0 ? Json(rounded(sums.macs, 10'000)) : Json();
  to["mac_per_slice"] =
      sums.macs > 0 ? rounded_or_null(sums.macs, static_cast<double>(sums.slices)) : Json();
  to["latency"] = has_latency && latency ? Json(*latency) : Json();
  to["frame_clocks"] = frame ? Json(*frame) : Json();
  return sums;
}

void add_counts(const backends::timing::Netlist& netlist, const Sums& sums, Json& to) {
  const ir::Resources r = ir::count_resources(*netlist.flat.design);
  to["luts"] = r.total.luts;
  to["lut_memory"] = r.total.lut_rams;
  to["ffs"] = r.total.ffs;
  to["carry_bits"] = r.total.carry_bits;
  to["bram18"] = r.total.brams_18k;
  to["uram"] = r.total.urams;
  to["lut_per_mac"] = rounded_or_null(static_cast<double>(r.total.luts), sums.macs);
  to["dense_slices"] = backends::fabric::pack(netlist).slices;
}

void add_timing(const backends::timing::Netlist& netlist, const gen::config::Target& target,
                const Sums& sums, Json& to) {
  const ir::Activity doing("estimating the clock");
  const auto a = backends::timing::analyse(netlist, {.grade = grade_of(target.part), .paths = 0});
  to["levels"] = a.depth.total();
  to["period_ns"] = rounded(a.period_ps, 1) / 1000;
  to["mhz"] = rounded(a.mhz(), 1);
  to["gops"] = sums.macs > 0 ? Json(rounded(2 * sums.macs * a.mhz() / 1000, 10)) : Json();
}

void add_lockstep(const Project& project, Measured& m) {
  const ir::Activity doing("simulating");
  const auto result = simulate(project);
  m.figures["exact"] = result.passed();
  m.figures["comparisons"] = result.comparisons;
  if (!result.passed()) m.mismatch = backends::report(project.design(), result, "native");
}

}  // namespace

std::string_view word(Step step) {
  constexpr std::string_view words[] = {"plan", "check", "timing", "gen", "sim"};
  return words[static_cast<std::size_t>(step)];
}

std::span<const Figure> figures() { return table; }

const Figure* find_figure(std::string_view name) {
  const auto* at = std::ranges::find(table, name, &Figure::name);
  return at == std::end(table) ? nullptr : at;
}

bool comes_with(const Figure& figure, const std::vector<Step>& steps) {
  return std::ranges::any_of(steps, [&](Step s) {
    // A built netlist is always counted.
    return s == figure.step || figure.step == Step::plan ||
           (figure.step == Step::check && s != Step::plan);
  });
}

Measured measure(Given given, const std::vector<Step>& steps, const Reading& how) {
  const auto asked = [&](Step s) { return std::ranges::find(steps, s) != steps.end(); };
  Measured m{.figures = Json::object()};
  const Source source{.config = given.name, .axi_stream = how.axi_stream};
  Plans plans(std::move(given), how);
  const Sums sums = add_plan(plans.layers, m.figures);
  if (std::ranges::all_of(steps, [](Step s) { return s == Step::plan; })) return m;
  const Project project(std::move(plans), how.context.limits);
  project.require_legal();
  const backends::timing::Netlist netlist(project.design());
  add_counts(netlist, sums, m.figures);
  if (asked(Step::timing)) add_timing(netlist, project.document.target, sums, m.figures);
  if (asked(Step::gen)) generate(project, source, {}, m.files);
  if (asked(Step::sim)) add_lockstep(project, m);
  return m;
}

}  // namespace kumiki::flow::sweep
