// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/netlist_figures.h"

#include "backends/timing/analysis.h"
#include "ir/resources.h"

namespace kumiki::cli {
namespace {

namespace timing = backends::timing;

// Positions from the entry of a step into a carry block to its exit.
std::uint32_t positions_passed(const timing::Netlist& netlist, const timing::Step& step) {
  if (step.is_launch() || !backends::native::is_carry(netlist.cell(step.cell).kind)) return 0;
  const backends::native::CarryShape shape(netlist.cell(step.cell).kind, netlist.view(step.cell));
  const std::uint32_t from = step.in < shape.di ? 0 : (step.in - shape.di) % shape.positions,
                      to = (step.net - netlist.output(step.cell, 0)) % shape.positions;
  return to - from + 1;
}

}  // namespace

NetlistFigures netlist_figures(const ir::Design& design, backends::fabric::PackOptions options) {
  const timing::Netlist netlist(design);
  const auto analysis = timing::analyse(netlist, {});
  const auto packed = backends::fabric::pack(netlist, options);
  const ir::Cost cost = ir::count_resources(design).total;
  NetlistFigures f{.luts = packed.sites - cost.lut_rams,
                   .carries = cost.carry_bits,
                   .ffs = cost.ffs,
                   .slices = packed.slices,
                   .picoseconds = analysis.worst};
  if (analysis.paths.empty()) return f;
  const timing::Path& path = analysis.paths.front();
  f.levels = path.levels.luts;
  for (const timing::Step& step : path.steps) f.carry_bits += positions_passed(netlist, step);
  return f;
}

}  // namespace kumiki::cli
