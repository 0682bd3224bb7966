// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/neighbourhood.h"

#include <algorithm>
#include <cmath>

#include "gen/blocks/compressor/solver/random.h"
#include "gen/blocks/compressor/timing.h"

namespace kumiki::gen::compressor {
namespace {

// For quick efforts: the search ends when its work is used up, after `quick_rounds`, or after
// `quick_patience` windows without a better tree.
constexpr unsigned quick_rounds = 150, quick_patience = 100;
// The tree for delay is one of several, and choosing among them gains more.
constexpr unsigned delay_patience = 30;
constexpr int window_nodes = 60;
// Half a second, and more than a second for delay: some trees found on the way are faster.
constexpr std::uint64_t quick_work = 16'000, delay_work = 40'000;
// The limit for delay including the starts, which may have used much of it.
constexpr std::uint64_t delay_work_in_all = 66'000;

// The part of the tree that is solved anew.
struct Window {
  unsigned first_column, last_column, first_stage, last_stage;
  double factor = 1;  // of the usual size of a window
  bool holds(unsigned stage, unsigned column) const {
    return stage >= first_stage && stage <= last_stage && column >= first_column &&
           column <= last_column;
  }
};

// A window has few columns over all stages, few stages over many columns, or something between.
class Windows {
 public:
  Windows(const TreeModel& m, int seed)
      : stages_(m.stages),
        columns_(m.request.shape.width()),
        random_(static_cast<std::uint64_t>(seed)),
        uses_(m.stages, std::vector(columns_, 0u)) {
    for (const auto& use : m.uses) ++uses_[use.stage][use.column];
  }

  Window choose() {
    const unsigned spans[] = {stages_, 2, 3, 4};
    const unsigned stages = std::min(spans[random_.below(std::size(spans))], stages_);
    const auto stage = static_cast<unsigned>(random_.below(stages_ - stages + 1));
    const auto column = static_cast<unsigned>(random_.below(columns_));
    Window w{column, column, stage, stage + stages - 1};
    auto uses = [&](unsigned c) {
      double sum = 0;
      for (unsigned s = w.first_stage; s <= w.last_stage; ++s) sum += uses_[s][c];
      return sum;
    };
    const double factors[] = {1, 1, 1, 2};
    w.factor = factors[random_.below(std::size(factors))];
    for (double all = uses(column);
         all < size_ * w.factor && (w.first_column > 0 || w.last_column + 1 < columns_);) {
      const bool down = w.last_column + 1 == columns_ || (w.first_column > 0 && random_.below(2));
      all += uses(down ? --w.first_column : ++w.last_column);
    }
    return w;
  }
  // Adapts the window size so that a window can just be solved to the end. Smaller windows see
  // less, and in larger ones a few nodes find nothing.
  void learn(const Window& window, bool is_proven) {
    if (is_proven || window.factor == 1)
      size_ = std::clamp(size_ * (is_proven ? 1.1 : 0.92), 50.0, 1500.0);
  }
  double chance() { return random_.unit(); }

 private:
  unsigned stages_, columns_;
  Random random_;
  std::vector<std::vector<unsigned>> uses_;  // elements that a column of a stage may have
  double size_ = 150;                        // of a window, in such elements
};

// Columns above its own that an element changes, including the carry of a chain.
unsigned reach_of(const TreeModel& model) {
  unsigned most = 0;
  for (const std::size_t e : model.elements) most = std::max(most, elements()[e].span());
  return most + 1;
}

// The program for the window; the rest of the tree stays as it is in `now`.
Mip program_of(const TreeModel& model, const Window& window, Windows& windows,
               const std::vector<double>& now, double slack) {
  Mip part = model.mip;
  auto fix = [&](int v) {
    if (v >= 0) part.set_bounds(v, now[v], now[v]);
  };
  for (const auto& use : model.uses) {
    if (window.holds(use.stage, use.column))
      // Small random costs let the search move between trees of the same size.
      part.set_cost(use.variable,
                    part.cost(use.variable) + (slack > 0 ? 0.2 : 0.02) * windows.chance());
    else
      fix(use.variable);
  }
  for (unsigned s = 0; s < model.stages; ++s)
    for (unsigned c = 0; c < model.request.shape.width(); ++c)
      if (!window.holds(s, c))
        for (const auto* grid : {&model.k, &model.u, &model.v, &model.y}) fix((*grid)[s][c]);
  // The bits left in a column change with the elements in it or slightly below.
  const unsigned reach = window.last_column + reach_of(model);
  for (const auto* grid : {&model.n, &model.m})
    for (const auto& stage : *grid)
      for (unsigned c = 0; c < stage.size(); ++c)
        if (c < window.first_column || c > reach) fix(stage[c]);
  return part;
}

}  // namespace

void improve(const TreeModel& model, std::vector<double>& x, double bound, Search& search,
             unsigned among) {
  const SolveOptions& options = search.options();
  Windows windows(model, options.seed);
  double best = model.mip.cost_of(x);
  std::vector<double> now = x;
  // The program rounds up the cost of the final comparison, so trees of equal cost may differ. It
  // does not model delay. But one of the trees on the way to fewer LUTs is the fastest, and some
  // are fast enough.
  const Objective objective = model.request.objective;
  const bool for_delay = objective == Objective::delay;
  auto counted = [&](const std::vector<double>& of) {
    const TreePlan plan = model.decode(of);
    const unsigned luts = audit(plan).luts();
    return std::pair(for_delay ? estimate(plan, options.family).picoseconds : 0u, luts);
  };
  auto least = counted(x);
  const unsigned rounds = options.effort < 2 ? quick_rounds : 5u << (2 * options.effort - 2);
  const unsigned share = options.share * among;
  const std::uint64_t begin = search.work();
  const std::uint64_t rest = delay_work_in_all - std::min(begin, delay_work_in_all);
  const std::uint64_t for_this =
      for_delay ? std::clamp(rest, delay_work / 2, delay_work) : quick_work;
  const std::uint64_t end = begin + for_this / share;
  const unsigned patience = std::max(2u, (for_delay ? delay_patience : quick_patience) / share);
  unsigned since = 0;  // windows without a better tree
  // Solves two windows of the same tree at once and keeps the better result.
  for (unsigned round = 0; round < rounds && best > bound + TreeModel::scale - 0.001; ++round) {
    if (search.is_quick() && (since >= patience || search.work() >= end)) return;
    if (!search.report({model.stages, model.luts(best), model.luts(bound), round, rounds})) return;
    // The node limit grows while no better tree is found.
    const int nodes = options.effort > 1 ? 200 : window_nodes << std::min(since / 12, 4u);
    std::vector<Window> chosen;
    std::vector<Mip> parts;
    std::vector<MipJob> jobs;
    for (unsigned i = 0; i < 2; ++i) {
      // In every twelfth window without a better tree, accept a tree with one LUT more too.
      const double slack = ++since % 12 == 0 ? TreeModel::scale : 0;
      chosen.push_back(windows.choose());
      parts.push_back(program_of(model, chosen.back(), windows, now, slack));
      jobs.push_back({.mip = nullptr,
                      .limits = {.nodes = nodes,
                                 .seed = options.seed,
                                 .cutoff = parts.back().cost_of(now) + slack + 0.001,
                                 .cuts = !search.is_quick(),
                                 .is_plain = search.is_quick()},
                      .start = slack > 0 ? std::vector<double>{} : now});
    }
    for (unsigned i = 0; i < 2; ++i) jobs[i].mip = &parts[i];
    MipResult* found = nullptr;
    double at = 0;
    auto results = search.solve(jobs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      MipResult& r = results[i];
      windows.learn(chosen[i], r.is_proven);
      if (!r.has_solution) continue;
      const double cost = model.mip.cost_of(r.x);
      if (!found || cost < at - 1e-6) found = &r, at = cost;
      if (is_timed(objective) || cost < best + 1e-6)
        if (const auto there = counted(r.x); there <= least) least = there, x = r.x;
    }
    if (!found) continue;
    now = std::move(found->x);
    if (at > best + 1e-6 && since > 60) now = x, since = 0;
    if (at > best - 1e-6) continue;
    since = 0;
    best = at;
  }
}

}  // namespace kumiki::gen::compressor
