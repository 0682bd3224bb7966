// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/plan.h"

#include <algorithm>
#include <numeric>

#include "gen/hdl/cells.h"
#include "ir/primitive.h"
#include "ir/primitives/memory.h"

namespace kumiki::gen::vision {
namespace {

std::uint32_t row_bits(const std::vector<Format>& formats) {
  return std::accumulate(
      formats.begin(), formats.end(), std::uint32_t{0},
      [](std::uint32_t sum, const Format& f) { return sum + static_cast<std::uint32_t>(f.bits); });
}

}  // namespace

int Group::window_latency() const {
  if (!window) return 0;
  const WindowOperation& op = *window->operation;
  // One register after the line memories, one after the vertical multiplexers.
  return 2 + op.column_latency() + window->reach(geometry) + op.latency();
}

int Group::operations_latency() const {
  int sum = 0;
  for (const auto& op : after) sum += op->latency();
  return sum;
}

int Group::latency() const { return std::max(window_latency() + operations_latency(), 1); }

LineMemories Group::lines() const {
  LineMemories m;
  if (!window) return m;
  m.depth = static_cast<std::uint32_t>(std::max<std::int64_t>(geometry.beats(), 2));
  m.row_bits = row_bits(inputs) * static_cast<std::uint32_t>(geometry.pixels);
  m.rows = window->operation->size() - 1;
  m.in_luts = m.depth <= 64;
  if (m.in_luts) {
    m.together = m.rows;
    return m;
  }
  // The fewest block RAMs; among equals the fewest rows in one memory.
  std::int64_t best = -1;
  for (int t = 1; t <= m.rows; ++t) {
    const std::int64_t whole = m.rows / t, rest = m.rows % t;
    const auto brams = [&](std::int64_t rows) {
      return ir::memory::brams_18k(m.depth, m.row_bits * static_cast<std::uint64_t>(rows));
    };
    const std::int64_t n = whole * brams(t) + (rest > 0 ? brams(rest) : 0);
    if (best < 0 || n < best) best = n, m.together = t;
  }
  return m;
}

int Group::loadable() const {
  return window ? static_cast<int>(window->operation->loadable().size()) : 0;
}

std::vector<Format> Group::window_outputs() const {
  if (!window) return inputs;
  std::vector<Format> all;
  for (const Format& f : window->operation->outputs()) all.insert(all.end(), inputs.size(), f);
  if (window->keep) all.insert(all.end(), inputs.begin(), inputs.end());
  return all;
}

std::vector<std::int64_t> Group::apply(const std::vector<std::vector<std::int64_t>>& windows,
                                       std::span<const std::int64_t> coefficients) const {
  std::vector<std::int64_t> values;
  if (!window) {
    for (const auto& w : windows) values.push_back(w.front());
  } else {
    std::vector<std::vector<std::int64_t>> results;  // [channel][kernel]
    for (const auto& w : windows) results.push_back(window->operation->apply(w, coefficients));
    for (std::size_t k = 0; k < results.front().size(); ++k)
      for (const auto& channel : results) values.push_back(channel[k]);
    if (window->keep)
      for (const auto& w : windows) values.push_back(w[w.size() / 2]);
  }
  for (const auto& op : after) values = op->apply(values);
  return values;
}

int Pipeline::coefficients() const {
  int sum = 0;
  for (const Group& g : groups) sum += g.loadable();
  return sum;
}

int Pipeline::coefficient_bits() const {
  int bits = 0;
  for (const Group& g : groups)
    if (g.loadable() > 0) bits = std::max(bits, g.window->operation->coefficient().bits);
  return bits;
}

int Pipeline::latency() const {
  // The skid before the guard, three clocks in which the guard checks the size of a frame, and the
  // skid after the last group.
  int sum = 5;
  for (const Group& g : groups) sum += 1 + g.latency();
  return sum;
}

int Pipeline::lines_late() const {
  int sum = 0;
  for (const Group& g : groups)
    if (g.window) sum += g.window->radius();
  return sum;
}

int Pipeline::slices() const {
  int sum = 0;
  for (const Group& g : groups)
    if (g.window) sum += g.window->operation->slices();
  return sum;
}

std::int64_t Pipeline::macs() const {
  std::int64_t sum = 0;
  for (const Group& g : groups)
    if (g.window) sum += g.window->operation->macs();
  return sum;
}

}  // namespace kumiki::gen::vision
