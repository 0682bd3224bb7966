// SPDX-License-Identifier: Apache-2.0
// Logic depth of a netlist: one walk in the order of evaluation that the native simulator uses.
#include <fmt/format.h>

#include <algorithm>

#include "backends/emit/report/resources.h"
#include "backends/support/flat/flatten.h"
#include "backends/support/flat/order.h"

namespace kumiki::backends {
namespace {

constexpr std::uint32_t nothing = ~std::uint32_t{0};

struct Reached {
  std::uint32_t depth = 0;
  std::uint32_t by = nothing;  // node that drives the net
};

std::string describe(const native::Flat& flat, native::FlatCell c) {
  const ir::Cell& cell = flat.cell(c);
  auto path = flat.path(c.scope);
  return fmt::format("{}{}{} ({})", path, path.empty() ? "" : "/", ir::prototype(cell.kind).name,
                     to_string(cell.place));
}

}  // namespace

Depth logic_depth(const ir::Design& design) {
  const native::Flat flat = native::flatten(design);
  const auto nodes = native::order(flat);
  std::vector<Reached> net(flat.driver.size());
  std::vector<std::uint32_t> before(nodes.size(), nothing);
  std::uint32_t deepest = nothing, most = 0;
  std::vector<std::uint32_t> inputs;
  std::vector<native::Outputs> outputs;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const native::FlatCell c = flat.cells[nodes[n].cell];
    const ir::Kind kind = flat.cell(c).kind;
    if (native::is_flop(kind)) continue;
    inputs.clear();
    outputs.clear();
    native::append_inputs(flat, nodes[n], inputs);
    native::append_outputs(flat, nodes[n], outputs);
    if (inputs.empty()) continue;  // outputs of a register
    Reached in;
    for (auto i : inputs)
      if (net[i].depth >= in.depth && net[i].by != nothing) in = net[i];
    before[n] = in.by;
    std::uint32_t depth = in.depth + 1;
    for (const auto& range : outputs)
      for (std::uint32_t i = 0; i < range.count; ++i)
        net[flat.output(c) + range.first + i] = {depth, n};
    if (depth > most) most = depth, deepest = n;
  }
  Depth result;
  for (std::uint32_t n = deepest; n != nothing; n = before[n]) {
    const native::FlatCell c = flat.cells[nodes[n].cell];
    const ir::Kind kind = flat.cell(c).kind;
    const bool lut = native::is_lut(kind) || native::is_muxf(kind);
    ++(lut ? result.luts : native::is_carry(kind) ? result.carries : result.others);
    result.path.push_back(describe(flat, c));
  }
  std::reverse(result.path.begin(), result.path.end());
  return result;
}

}  // namespace kumiki::backends
