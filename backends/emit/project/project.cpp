// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/project.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "backends/emit/project/clocks.h"
#include "backends/emit/project/placement.h"
#include "backends/emit/verilog/verilog.h"
#include "backends/emit/yosys/family.h"
#include "backends/support/tool.h"
#include "ir/arch.h"
#include "ir/machine.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

using ir::Family;
using Names = std::vector<std::string>;

// A JSON string is also a YAML string.
std::string as_yaml(std::string_view text) { return nlohmann::json(text).dump(); }

std::string items(const Names& files) {
  std::string lines;
  for (const auto& f : files) lines += fmt::format("      - {}\n", f);
  if (lines.empty()) return "      []";
  lines.pop_back();
  return lines;
}

class Project {
 public:
  Project(const ir::Names& names, const Names& verilog, const ProjectOptions& options)
      : options_(options),
        names_(names),
        family_(names.design().family()),
        top_(names.module(names.design().top_id())),
        part_(options.part.empty() ? default_part(family_) : options.part) {
    constexpr std::string_view folder = "primitives/";
    for (const auto& file : verilog) (file.starts_with(folder) ? models_ : rtl_).push_back(file);
    for (const auto& file : models_) {
      auto name = file.substr(folder.size(), file.size() - folder.size() - 2);
      // A 7 series has this one only inside the model of its own slice.
      if (family_ != ir::Family::series7 || name != ir::arch::dsp48e2.name)
        primitives_.push_back(std::move(name));
    }
  }

  std::string vivado() const {
    const auto period = fmt::format("{:.3f}", period_of_clk());
    // The constraint file sets the default clock; creating the clock again replaces it.
    const auto clock =
        create_clocks(top(), "$setting(period)", "[expr {$setting(period) / 2.0}]", "      ");
    constexpr std::string_view slack =
        "set paths [get_timing_paths -max_paths 1]\n"
        "if {[llength $paths] > 0} {\n"
        "  puts \"$top: worst slack [get_property SLACK [lindex $paths 0]] ns at "
        "$setting(period) ns\"\n"
        "}";
    // Macros can only contain cells that synthesis has kept.
    constexpr std::string_view placement =
        "      read_xdc [file join $here ${top}_placement.xdc]\n";
    return fill(templates::text("project/ooc.tcl.in"),
                {{"TOP", top_},
                 {"PART", part_},
                 {"PERIOD", period},
                 {"CLOCK", clock.empty() ? "" : clock + "\n"},
                 {"PLACEMENT", std::string(options_.placement ? placement : "")},
                 {"SLACK", std::string(clock.empty() ? "# No clock, no slack." : slack)}});
  }

  std::string constraints() const {
    auto clock = create_clocks(top(), fmt::format("{:.3f}", period_of_clk()),
                               fmt::format("{:.3f}", period_of_clk() / 2));
    if (const auto late = clock_exceptions(names_); !late.empty())
      clock += "\n# What crosses between the clocks with two periods of the fast one to arrive:\n" +
               late.substr(0, late.size() - 1);
    return fill(templates::text("project/ooc.xdc.in"),
                {{"TOP", top_}, {"CLOCK", clock.empty() ? "# There is no clock." : clock}});
  }

  std::string yosys() const {
    std::string keep;
    for (const auto& p : primitives_) keep += fmt::format(" t:{}", p);
    return fill(templates::text("project/yosys.ys.in"),
                {{"TOP", top_},
                 {"READ", fmt::format("{}", fmt::join(read_lines(), "\n"))},
                 {"KEEP", keep.empty() ? "# There are none." : "setattr -set keep 1" + keep},
                 {"FAMILY", std::string(yosys_family(family_))}});
  }

  std::string core() const {
    return fill(templates::text("project/core.in"), {{"TOP", top_},
                                                     {"VERSION", options_.version},
                                                     {"DESCRIPTION", as_yaml(options_.description)},
                                                     {"RTL", items(rtl_)},
                                                     {"MODELS", items(models_)},
                                                     {"BENCH", bench_files()},
                                                     {"SIM", simulation()},
                                                     {"WITH_BENCH", with_bench()},
                                                     {"WAIVERS", waivers()},
                                                     {"PART", part_}});
  }

 private:
  Names read_lines() const {
    Names lines;
    for (const auto& f : rtl_) lines.push_back("read_verilog -DSYNTHESIS " + f);
    return lines;
  }

  // FuseSoC copies files into the folder of the run, and vectors to the place where the testbench
  // looks.
  std::string bench_files() const {
    if (options_.bench.empty()) return {};
    std::string text = "  bench:\n    files:\n";
    text +=
        fmt::format("      - vectors/{}.v: {{file_type: verilogSource-2001}}\n", options_.bench);
    for (const char* f : {"stimulus", "expected", "valid"})
      text +=
          fmt::format("      - vectors/{0}.hex: {{file_type: user, copyto: vectors/{0}.hex}}\n", f);
    return text;
  }

  std::string with_bench() const {
    if (options_.bench.empty()) return {};
    return fmt::format(", \"{}_bench ? (bench)\"", top_);
  }

  static std::string waivers() { return fmt::format("{}", fmt::join(verilator_waivers(), ", ")); }

  std::string simulation() const {
    if (options_.bench.empty()) return {};
    return fill(templates::text("project/core_sim.in"),
                {{"BENCH", options_.bench}, {"WAIVERS", waivers()}});
  }

  // The faster of two clocks has the period of a single clock.
  double period_of_clk() const {
    return default_period(family_) * (ir::has_fast_clock(top()) ? 2 : 1);
  }
  const ir::Module& top() const { return names_.design().top(); }

  const ProjectOptions& options_;
  const ir::Names& names_;
  Family family_;
  std::string top_, part_;
  Names rtl_, models_, primitives_;
};

}  // namespace

std::string_view default_part(Family family) {
  switch (family) {
    case Family::series7:
      return "xc7a200tsbg484-1";
    case Family::ultrascale:
      return "xcku040-ffva1156-2-e";
    default:
      return "xczu7ev-ffvc1156-2-e";
  }
}

double default_period(Family family) {
  switch (family) {
    case Family::series7:
      return 5;
    case Family::ultrascale:
      return 2.5;
    default:
      return 2;
  }
}

void write_project(const ir::Names& names, const Names& verilog, OutputSet& out,
                   const ProjectOptions& options) {
  const Project project(names, verilog, options);
  const auto top = names.module(names.design().top_id());
  out.add(fmt::format("{}_ooc.tcl", top), project.vivado());
  out.add(fmt::format("{}_ooc.xdc", top), project.constraints());
  if (ir::has_fast_clock(names.design().top()))
    out.add(fmt::format("{}_clocks.v", top),
            clock_pair(names, default_period(names.design().family())));
  if (options.placement) out.add(fmt::format("{}_placement.xdc", top), write_placement(names));
  out.add(fmt::format("{}.ys", top), project.yosys());
  out.add(fmt::format("{}.core", top), project.core());
}

}  // namespace kumiki::backends
