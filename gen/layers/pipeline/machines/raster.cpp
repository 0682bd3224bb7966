// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/raster.h"

#include <algorithm>
#include <functional>

namespace kumiki::gen::pipeline {
namespace {

// The table for the next position.
std::vector<bool> one_ahead(std::vector<bool> table) {
  std::rotate(table.begin(), table.begin() + 1, table.end());
  return table;
}

}  // namespace

bool RasterPlan::has_border() const {
  const auto all = [](const std::vector<bool>& t) {
    return std::ranges::all_of(t, std::identity{});
  };
  return !all(lines) || !all(columns);
}

Raster build_raster(Scope& s, const RasterPlan& p, Net valid, Net room_next, Net reset) {
  const bool has_border = p.has_border();
  const bool begins_inside = p.lines[0] && p.columns[0];
  Reg<Net> ready(s, {.init = begins_inside ? 1u : 0u, .reset = reset});
  Wire<Net> moves(s);
  const Net takes = s.net(ready & valid);
  const Cycle block(s, p.blocks, moves, reset);
  const Cycle column(s, std::ssize(p.columns), block.ends(), reset);
  const Cycle line(s, std::ssize(p.lines), column.ends(), reset);
  if (!has_border) {
    moves.drive(takes);
    ready.next(room_next);
  } else {
    // Whether the next position is inside the map is known a clock ahead.
    const Net room = reg(s, room_next, {.init = 1, .reset = reset});
    Reg<Net> is_inside(s, {.init = begins_inside ? 1u : 0u, .enable = moves, .reset = reset});
    moves.drive(takes | (~is_inside & room));
    const Net next_column = s.net(column.look_up(one_ahead(p.columns)) & line.look_up(p.lines));
    const Net next_line = p.columns[0] ? line.look_up(one_ahead(p.lines)) : ir::net_zero;
    const Net next =
        s.net(mux(block.last(), mux(column.last(), next_line, next_column), is_inside.q()));
    is_inside.next(next);
    ready.next(room_next & mux(static_cast<Net>(moves), next, is_inside.q()));
  }
  return {.ready = ready.q(),
          .takes = takes,
          .moves = moves,
          .block = block,
          .column = column,
          .line = line};
}

UInt raster_word(Scope& s, const RasterPlan& p, const Raster& raster,
                 const std::vector<UInt>& lanes, std::uint64_t fill) {
  const RegOptions options{.init = fill,
                           .reset = p.has_border() ? s.net(~raster.takes) : ir::net_zero};
  std::vector<Word> high_to_low;
  for (auto lane = lanes.rbegin(); lane != lanes.rend(); ++lane)
    high_to_low.push_back(reg(s, *lane, options));
  return cat(s, high_to_low);
}

}  // namespace kumiki::gen::pipeline
