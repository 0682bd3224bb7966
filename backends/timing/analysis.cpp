// SPDX-License-Identifier: Apache-2.0
#include "backends/timing/analysis.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "ir/label.h"
#include "ir/primitives/memory.h"

namespace kumiki::backends::timing {
namespace {

struct Group {
  Endpoint worst;
  std::size_t ends = 0;
};

class Ends {
 public:
  explicit Ends(const Netlist& netlist) : netlist_(netlist) {}

  void add(const Endpoint& end) {
    Group& group = groups_[key(end)];
    if (group.ends++ == 0 || end.period() > group.worst.period()) group.worst = end;
    periods.push_back(end.period());
  }

  std::vector<Group> slowest(std::size_t count) const {
    std::vector<Group> all;
    for (const auto& [key, group] : groups_) all.push_back(group);
    std::stable_sort(all.begin(), all.end(), [](const Group& a, const Group& b) {
      return a.worst.period() > b.worst.period();
    });
    all.resize(std::min(all.size(), count));
    return all;
  }

  std::vector<Picoseconds> periods;

 private:
  // All instances of a module's cell count as one; so does every port of the top.
  std::uint64_t key(const Endpoint& end) const {
    if (end.cell == none) {
      const ir::Module& top = netlist_.flat.design->top();
      return ~std::uint64_t{0} << 32 | ir::locate_port(top, ir::Direction::output, end.pin).pin;
    }
    const native::FlatCell at = netlist_.flat.cells[end.cell];
    return std::uint64_t{netlist_.flat.scopes[at.scope].module.value} << 32 | at.id.value;
  }

  const Netlist& netlist_;
  std::map<std::uint64_t, Group> groups_;
};

std::string name_of_limit(const Netlist& netlist, std::uint32_t c, const ClockLimits& limits,
                          std::uint32_t& mhz) {
  const ir::Kind kind = netlist.cell(c).kind;
  const auto params = netlist.view(c).params;
  if (ir::is_dsp(kind)) {
    const auto attributes = ir::dsp_attributes(kind, params);
    mhz = dsp_limit(attributes, limits);
    return fmt::format("{} {}", ir::prototype(kind).name, dsp_registers(attributes));
  }
  const bool is_memory = kind == ir::Kind::memory;
  if (kind != ir::Kind::uram288 &&
      (!is_memory || params[ir::memory::style] == ir::memory::distributed))
    return {};
  const bool block = is_memory && params[ir::memory::style] == ir::memory::block;
  mhz = block ? limits.block_ram : limits.ultra_ram;
  return block ? "block RAM" : "UltraRAM";
}

std::vector<Limit> limits_of(const Netlist& netlist, const ClockLimits& limits) {
  std::map<std::string, Limit> found;
  for (std::uint32_t c = 0; c < netlist.flat.cells.size(); ++c) {
    std::uint32_t mhz = 0;
    std::string what = name_of_limit(netlist, c, limits, mhz);
    if (mhz == 0) continue;
    if (netlist.is_fast(c)) what += " on clk2x", mhz /= 2;
    Limit& limit = found[what];
    limit.what = what;
    limit.mhz = mhz;
    ++limit.cells;
  }
  const bool two = netlist.flat.fast_clock != 0;
  std::vector<Limit> all{{clock_tree, limits.clock_tree / (two ? 2 : 1), 1}};
  for (auto& [what, limit] : found) all.push_back(std::move(limit));
  std::stable_sort(all.begin(), all.end(),
                   [](const Limit& a, const Limit& b) { return a.mhz < b.mhz; });
  return all;
}

// Ten bars of a tenth of the period each; failing ends are in bars below 0.
std::vector<Bar> histogram(const std::vector<Picoseconds>& periods, double period) {
  std::map<int, std::size_t> counts;
  for (const Picoseconds p : periods)
    ++counts[std::min(9, static_cast<int>(std::floor((period - p) / period * 10)))];
  std::vector<Bar> bars;
  if (counts.empty()) return bars;
  for (int i = std::min(0, counts.begin()->first); i < 10; ++i)
    bars.push_back({i * period / 10, (i + 1) * period / 10, counts[i]});
  return bars;
}

}  // namespace

Analysis analyse(const Netlist& netlist, const Goal& goal) {
  const ir::Family family = netlist.flat.design->family();
  const Arrivals arrivals(netlist, ir::timing::delays(family, goal.grade));
  Ends ends(netlist);
  arrivals.for_each_endpoint([&](const Endpoint& end) { ends.add(end); });
  Analysis result;
  result.depth = logic_depth(netlist);
  result.ends = ends.periods.size();
  for (const Group& group : ends.slowest(std::max<std::size_t>(goal.paths, 1))) {
    result.worst = std::max(result.worst, group.worst.period());
    if (result.paths.size() == goal.paths) break;
    Path path{.end = group.worst,
              .steps = trace(netlist, arrivals, group.worst.net),
              .levels = {},
              .ends = group.ends};
    for (const Step& step : path.steps)
      if (!step.is_launch()) path.levels.count(netlist.cell(step.cell).kind);
    result.paths.push_back(std::move(path));
  }
  result.limits = limits_of(netlist, ir::timing::clock_limits(family, goal.grade));
  result.period_ps = std::max(static_cast<double>(result.worst), 1e6 / result.limits.front().mhz);
  const double period = goal.period_ps.value_or(result.period_ps);
  result.slack = histogram(ends.periods, period);
  result.missed = static_cast<std::size_t>(
      std::ranges::count_if(ends.periods, [&](Picoseconds p) { return p > period; }));
  return result;
}

}  // namespace kumiki::backends::timing
