// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/clocks.h"

#include <fmt/format.h>

#include "backends/emit/project/paths.h"
#include "backends/support/tool.h"
#include "ir/machine.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

// A path of two periods of the fast clock. The capturing edge moves one period later; the edge for
// hold stays where it was. Both count in periods of the clock `counted`.
std::string two_periods(std::string_view from, ClockNames clocks, std::string_view counted,
                        const std::string& cells) {
  if (cells.empty()) return {};
  return fmt::format(
      "set late [get_cells {{{2}}}]\n"
      "set_multicycle_path -setup {1} 2 -from [get_clocks {0}] -to $late\n"
      "set_multicycle_path -hold {1} 1 -from [get_clocks {0}] -to $late\n",
      clocks == ClockNames::given ? std::string(from)
                                  : fmt::format("-of_objects [get_ports {}]", from),
      counted, cells);
}

}  // namespace

// Out of context both clocks come through ports, so neither is generated from the other. Vivado
// times clocks against each other by default, and both rise at time 0.
std::string create_clocks(const ir::Module& top, const std::string& period,
                          const std::string& fast_period, const std::string& indent) {
  if (!top.find_port(ir::clock_port)) return {};
  auto text = fmt::format("{}create_clock -name clk -period {} [get_ports clk]", indent, period);
  if (ir::has_fast_clock(top))
    text += fmt::format("\n{}create_clock -name clk2x -period {} [get_ports clk2x]", indent,
                        fast_period);
  return text;
}

std::string clock_exceptions(const ir::Names& names, ClockNames clocks) {
  const ir::Design& design = names.design();
  if (!ir::has_fast_clock(design.top())) return {};
  const native::Flat flat = native::flatten(design);
  const Paths paths(names, flat);
  std::string to_fast, to_slow;
  for (const native::FlatCell& c : flat.cells) {
    const auto crossing = flat.module(c).crossing(c.id);
    if (crossing != ir::Crossing::first && crossing != ir::Crossing::second) continue;
    const ir::Cell& cell = flat.cell(c);
    // Only flip-flops declare a half, and their clock is their first pin.
    const auto clock = flat.driver_of(flat.scopes[c.scope], flat.module(c).inputs(cell)[0]);
    const bool is_fast = clock == flat.fast_clock;
    if (is_fast && crossing == ir::Crossing::first) continue;  // one period, as without a word
    auto& cells = is_fast ? to_fast : to_slow;
    cells += (cells.empty() ? "" : " ") + paths.of(c.scope, c.id) + (cell.width > 1 ? "[*]" : "");
  }
  return two_periods(ir::clock_port, clocks, "-end", to_fast) +
         two_periods(ir::fast_clock_port, clocks, "-start", to_slow);
}

std::string clock_pair(const ir::Names& names, double fast_period) {
  const bool series7 = names.design().family() == ir::Family::series7;
  // 125 MHz from the board. The oscillator of the MMCM runs at 1 GHz, which every family allows.
  return fill(templates::text("project/clocks.v.in"),
              {{"TOP", std::string(names.module(names.design().top_id()))},
               {"PERIOD", "8.000"},
               {"MULTIPLY", "8.000"},
               {"DIVIDE_FAST", fmt::format("{:.3f}", fast_period)},
               {"DIVIDE", fmt::format("{:.0f}", 2 * fast_period)},
               {"MMCM", series7 ? "MMCME2_BASE" : "MMCME4_BASE"},
               {"BUFFER", series7 ? "BUFG" : "BUFGCE"},
               {"ENABLE", series7 ? "" : ".CE(1'b1), "}});
}

}  // namespace kumiki::backends
