// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/relax.h"

#include <algorithm>
#include <limits>
#include <map>

#include "gen/blocks/compressor/solver/random.h"
#include "gen/blocks/compressor/solver/repeats.h"

namespace kumiki::gen::compressor {
namespace {

// The variables of every part: its integers. If parts are columns, also their remaining bits, which
// nothing above changes. The last part gets all other variables.
std::vector<std::vector<int>> parts_of(const TreeModel& m, unsigned columns) {
  const unsigned w = m.request.shape.width();
  std::vector<std::vector<int>> parts(columns > 0 ? (w + columns - 1) / columns : m.stages);
  std::vector<bool> seen(static_cast<std::size_t>(m.mip.size()));
  auto add = [&](std::size_t part, int v) {
    if (v < 0 || seen[v] || (columns == 0 && !m.mip.is_integer(v))) return;
    seen[v] = true;
    parts[std::min(part, parts.size() - 1)].push_back(v);
  };
  auto at = [&](unsigned stage, unsigned column) { return columns > 0 ? column / columns : stage; };
  for (const auto& use : m.uses) add(at(use.stage, use.column), use.variable);
  for (unsigned s = 0; s < m.stages; ++s) {
    for (const auto* grid : {&m.k, &m.u, &m.v, &m.q, &m.y, &m.r})
      for (unsigned c = 0; c < (*grid)[s].size(); ++c) add(at(s, c), (*grid)[s][c]);
    if (columns > 0)
      for (const auto* grid : {&m.n, &m.m})
        for (unsigned c = 0; c < (*grid)[s + 1].size(); ++c) add(at(s, c), (*grid)[s + 1][c]);
    if (columns == 0) add(s, m.any[s]), add(s, m.lead[s]);
  }
  if (columns > 0)
    for (const auto* row : {&m.t, &m.f, &m.d})
      for (unsigned c = 0; c < row->size(); ++c) add(at(0, c), (*row)[c]);
  for (int v = 0; v < m.mip.size(); ++v) add(parts.size() - 1, v);
  return parts;
}

constexpr unsigned everywhere = std::numeric_limits<unsigned>::max();

// The column that a variable belongs to, or everywhere.
std::vector<unsigned> columns_of(const TreeModel& m) {
  std::vector<unsigned> all(static_cast<std::size_t>(m.mip.size()), everywhere);
  const auto set = [&](int v, std::size_t column) {
    if (v >= 0) all[static_cast<std::size_t>(v)] = static_cast<unsigned>(column);
  };
  for (const auto& use : m.uses) set(use.variable, use.column);
  for (const auto* grids : {&m.k, &m.u, &m.v, &m.q, &m.n, &m.y, &m.r, &m.m})
    for (const auto& stage : *grids)
      for (std::size_t c = 0; c < stage.size(); ++c) set(stage[c], c);
  for (const auto* row : {&m.t, &m.f, &m.d})
    for (std::size_t c = 0; c < row->size(); ++c) set((*row)[c], c);
  return all;
}

// A program without the columns beyond `last`. Their variables stay at their lower bounds. Of the
// rows that contain them, only rows over all columns remain. The slack of such a row is limited to
// what a few columns use, so equal columns have equal programs.
Mip below(const Mip& mip, const std::vector<unsigned>& columns, unsigned last) {
  constexpr double much = 16;
  const auto column = [&](int v) { return columns[static_cast<std::size_t>(v)]; };
  const auto is_far = [&](int v) { return column(v) != everywhere && column(v) > last; };
  const auto is_of_all = [&](const Mip::Row& row) {
    return std::ranges::any_of(row.variables, [&](int v) { return column(v) == everywhere; });
  };
  Mip near = mip;
  for (int v = 0; v < mip.size(); ++v)
    if (is_far(v)) near.set_bounds(v, mip.low(v), mip.low(v));
  near.erase_rows([&](const Mip::Row& row) {
    return std::ranges::any_of(row.variables, is_far) && !is_of_all(row);
  });
  near.change_rows([&](Mip::Row& row) {
    if (row.sense != 'L' || !is_of_all(row)) return;
    double most = much;
    for (std::size_t i = 0; i < row.variables.size(); ++i)
      if (const int v = row.variables[i]; near.low(v) == near.high(v))
        most += row.factors[i] * near.low(v);
    row.right = std::min(row.right, most);
  });
  return near;
}

// A kind of element in a stage has the same perturbed cost in all columns.
std::vector<std::size_t> kinds_of(const TreeModel& m) {
  std::vector<std::size_t> kinds(static_cast<std::size_t>(m.mip.size()), no_kind);
  for (const auto& use : m.uses)
    kinds[static_cast<std::size_t>(use.variable)] = use.stage * elements().size() + use.element;
  return kinds;
}

}  // namespace

std::optional<std::vector<double>> relax_and_fix(const Mip& program,
                                                 std::vector<std::vector<int>> parts,
                                                 const RelaxLimits& limits, Search& search,
                                                 const std::vector<unsigned>& columns) {
  if (parts.empty()) return std::nullopt;
  if (limits.backwards) std::reverse(parts.begin(), parts.end());
  Mip mip = program;
  for (const auto& part : parts)
    for (int v : part) mip.set_integer(v, false);
  const MipLimits of_part{.nodes = limits.nodes,
                          .seed = limits.seed,
                          .gap = limits.gap,
                          .gap_part = limits.gap_part,
                          .cuts = limits.cuts,
                          .heuristics = limits.heuristics,
                          .is_plain = limits.is_plain};
  std::size_t whole = 0;  // parts whose variables are integers already
  const bool is_cut = limits.horizon > 0 && !columns.empty();
  Repeats repeats(search);
  const std::uint64_t before = search.work();
  const auto is_long = [&] { return search.work() - before > limits.most_work; };
  const auto solve = [&](std::size_t part) {
    if (!is_cut) return search.solve(mip, of_part);
    const auto last = static_cast<unsigned>((part + 1) * limits.columns - 1 + limits.horizon);
    return repeats.solve(below(mip, columns, last), of_part);
  };
  for (std::size_t at = 0;; ++at) {
    for (; whole < parts.size() && whole <= at + limits.ahead; ++whole)
      for (int v : parts[whole]) mip.set_integer(v, program.is_integer(v));
    MipResult r;
    std::size_t from = at;  // the first part that is solved
    for (;; --from) {
      r = solve(at);
      if (r.has_solution || from == 0 || at - from == limits.steps_back || is_long()) break;
      for (int v : parts[from - 1]) mip.set_bounds(v, program.low(v), program.high(v));
    }
    if (!r.has_solution || is_long()) return std::nullopt;
    if (whole == parts.size()) return r.x;
    for (; from <= at; ++from)
      for (int v : parts[from]) mip.set_bounds(v, r.x[v], r.x[v]);
  }
}

std::optional<std::vector<double>> relax_and_fix(const TreeModel& model, const RelaxLimits& limits,
                                                 Search& search) {
  if (model.stages == 0) return std::nullopt;
  return relax_and_fix(with_wrong_costs(model.mip, kinds_of(model), limits.wrong, limits.seed),
                       parts_of(model, limits.columns), limits, search,
                       limits.horizon > 0 ? columns_of(model) : std::vector<unsigned>());
}

Mip with_wrong_costs(const Mip& mip, const std::vector<std::size_t>& kinds, double wrong,
                     int seed) {
  Mip other = mip;
  if (wrong == 0) return other;
  Random random(static_cast<std::uint64_t>(seed));
  std::map<std::size_t, double> factors;
  for (int v = 0; v < mip.size(); ++v) {
    const std::size_t kind = kinds[static_cast<std::size_t>(v)];
    if (kind == no_kind) continue;
    const auto [at, is_new] = factors.try_emplace(kind, 1);
    if (is_new) at->second += wrong * (random.unit() - 0.5);
    other.set_cost(v, mip.cost(v) * at->second);
  }
  return other;
}

}  // namespace kumiki::gen::compressor
