// SPDX-License-Identifier: Apache-2.0
#include "gen/compressor/solver/neighbourhood.h"

#include <algorithm>
#include <cmath>

#include "gen/compressor/solver/random.h"

namespace kumiki::gen::compressor {
namespace {

// Which part of the tree is solved anew.
struct Window {
  unsigned first_column, last_column, first_stage, last_stage;
  bool holds(unsigned stage, unsigned column) const {
    return stage >= first_stage && stage <= last_stage && column >= first_column &&
           column <= last_column;
  }
};

// Few columns over all stages, or few stages over many columns, or something between.
Window choose(const TreeModel& m, Random& random) {
  const unsigned w = m.request.shape.width(), s = m.stages;
  struct Extent {
    unsigned stages, columns;
  };
  const Extent extents[] = {{s, 3 + static_cast<unsigned>(random.below(4))},
                            {2, 16},
                            {3, 6 + static_cast<unsigned>(random.below(4))},
                            {4, 4 + static_cast<unsigned>(random.below(3))}};
  auto [stages, columns] = extents[random.below(std::size(extents))];
  stages = std::min(stages, s);
  columns = std::min(columns, w);
  auto first = static_cast<unsigned>(random.below(w - columns + 1));
  // The borders are met as often as the middle.
  if (random.below(4) == 0) first = random.below(2) ? 0 : w - columns;
  const auto stage = static_cast<unsigned>(random.below(s - stages + 1));
  return {first, first + columns - 1, stage, stage + stages - 1};
}

}  // namespace

bool improve(const TreeModel& model, std::vector<double>& x, double bound,
             const SolveOptions& options) {
  Random random(static_cast<std::uint64_t>(options.seed));
  double best = model.mip.cost_of(x);
  std::vector<double> now = x;
  double at = best;
  const unsigned rounds = 5u << (2 * options.effort - 2);  // 5, 20, 80, 320
  const int nodes = options.effort > 1 ? 200 : 60;
  unsigned since = 0;  // rounds without a better tree
  for (unsigned round = 0; round < rounds && best > bound + TreeModel::scale - 0.001; ++round) {
    // Far from the last success a tree a LUT larger is walked over too.
    if (options.progress &&
        !options.progress({model.stages, model.luts(best), model.luts(bound), round, rounds}))
      return false;
    const double slack = ++since % 12 == 0 ? TreeModel::scale : 0;
    Mip part = model.mip;
    const Window window = choose(model, random);
    auto fix = [&](int v) {
      if (v >= 0) part.set_bounds(v, now[v], now[v]);
    };
    for (const auto& use : model.uses) {
      if (window.holds(use.stage, use.column))
        // Plateaus are walked: all trees of one size are equal but for a little chance.
        part.set_cost(use.variable,
                      part.cost(use.variable) + (slack > 0 ? 0.2 : 0.02) * random.unit());
      else
        fix(use.variable);
    }
    for (unsigned s = 0; s < model.stages; ++s)
      for (unsigned c = 0; c < model.request.shape.width(); ++c)
        if (!window.holds(s, c)) {
          fix(model.k[s][c]);
          fix(model.u[s][c]);
          fix(model.v[s][c]);
          fix(model.y[s][c]);
        }
    auto r = part.solve(
        {.nodes = nodes, .seed = options.seed, .cutoff = part.cost_of(now) + slack + 0.001},
        slack > 0 ? std::vector<double>{} : now);
    if (!r.has_solution) continue;
    at = model.mip.cost_of(r.x);
    now = std::move(r.x);
    if (at > best + 1e-6 && since > 60) now = x, since = 0;
    if (at > best - 1e-6) {
      if (at < best + 1e-6) x = now;
      continue;
    }
    since = 0;
    best = at;
    x = now;
  }
  return true;
}

}  // namespace kumiki::gen::compressor
