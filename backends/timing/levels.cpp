// SPDX-License-Identifier: Apache-2.0
#include "backends/timing/levels.h"

#include <fmt/format.h>

#include "backends/timing/paths.h"

namespace kumiki::backends {
namespace {

std::string describe(const native::Flat& flat, native::FlatCell c) {
  const ir::Cell& cell = flat.cell(c);
  auto path = flat.path(c.scope);
  return fmt::format("{}{}{} ({})", path, path.empty() ? "" : "/", ir::prototype(cell.kind).name,
                     to_string(cell.place));
}

}  // namespace

void Levels::count(ir::Kind kind) {
  const bool lut = native::is_lut(kind) || native::is_muxf(kind);
  ++(lut ? luts : native::is_carry(kind) ? carries : others);
}

Depth logic_depth(const ir::Design& design) { return logic_depth(timing::Netlist(design)); }

Depth logic_depth(const timing::Netlist& netlist) {
  const timing::Arrivals arrivals(netlist, ir::timing::levels());
  std::uint32_t deepest = 0;
  for (std::uint32_t net = 0; net < netlist.driver.size(); ++net)
    if (netlist.fan_out[net] > 0 && arrivals[net].at > arrivals[deepest].at) deepest = net;
  Depth result;
  for (const timing::Step& step : timing::trace(netlist, arrivals, deepest)) {
    if (step.is_launch()) continue;
    result.count(netlist.cell(step.cell).kind);
    result.path.push_back(describe(netlist.flat, netlist.flat.cells[step.cell]));
  }
  return result;
}

}  // namespace kumiki::backends
