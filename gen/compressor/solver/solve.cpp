// SPDX-License-Identifier: Apache-2.0
#include "gen/compressor/solver/solve.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/compressor/solver/model.h"
#include "gen/compressor/solver/neighbourhood.h"
#include "gen/compressor/solver/paper.h"
#include "gen/compressor/solver/relax.h"
#include "gen/compressor/solver/runs.h"
#include "gen/compressor/solver/start.h"
#include "gen/compressor/timing.h"
#include "ir/error.h"

namespace kumiki::gen::compressor {

std::vector<std::size_t> useful_elements(const TreePlan& request) {
  std::vector<std::string_view> names{"fa",   "c25",  "c63",   "A2",    "A14",   "A06",  "A125",
                                      "A134", "A116", "A1324", "A1333", "A1315", "A0424"};
  if (request.shape.has_pairs())
    names.insert(names.end(), {"p3", "p2", "B14"});
  else if (!request.free_exits)
    names.insert(names.end(), {"A13", "B14"});  // room for open carries
  // Leaves cost their readers the way around by an exit.
  if (!request.shape.has_pairs() && !request.free_exits && request.objective != Objective::delay)
    names.insert(names.end(), {"B2", "v3", "H05"});
  std::vector<std::size_t> list;
  for (auto n : names) list.push_back(element_index(n));
  return list;
}

namespace {

// Models of few variables go to CBC whole. Larger ones get a start part by part and fewer nodes of
// CBC, or one; whatever is not proven then is searched in neighbourhoods.
constexpr int small_size = 900, direct_size = 1800;

// Of more bits than this, stages with chains are not tried for the shortest delay: one takes as
// long as two of LUTs alone, and those quarter a tall heap.
constexpr unsigned tall = 128;

// A node takes about the square of the size.
int nodes(const SolveOptions& o, int size) {
  if (size >= direct_size) return 1;
  const double square = double(size) * size;
  return std::max(20, static_cast<int>(1.6e7 * (1 << (2 * std::min(o.effort, 3u))) / square));
}

struct Start {
  std::vector<double> x;  // empty: none was found
  bool stopped = false;
};

std::vector<RelaxLimits> tries(const TreeModel& model, const SolveOptions& o) {
  std::vector<RelaxLimits> all;
  auto add = [&](RelaxLimits limits) {
    limits.seed = o.seed;
    if (o.effort == 0) limits.nodes /= 4;
    all.push_back(limits);
  };
  // Stages where the heap is tall, columns where it is wide.
  if (model.request.shape.width() < 3 * model.stages) {
    add({.nodes = 1000});
    if (o.effort > 0) add({.backwards = true, .nodes = 1000});
    if (o.effort > 1)
      for (bool backwards : {false, true}) add({.backwards = backwards, .ahead = 1, .nodes = 1000});
  } else {
    add({.columns = o.effort > 0 ? 3u : 1u, .nodes = 400});
    if (o.effort > 1) add({.columns = 2, .nodes = 400}), add({.columns = 1, .nodes = 400});
  }
  return all;
}

// The best of some starts, part by part; where all of them end in a corner, a greedy one.
Start started(const TreeModel& model, const SolveOptions& o, double bound) {
  Start best;
  auto all = tries(model, o);
  for (std::size_t i = 0; i < all.size() && !best.stopped; ++i) {
    auto x = relax_and_fix(model, all[i]);
    if (x && (best.x.empty() || model.mip.cost_of(*x) < model.mip.cost_of(best.x)))
      best.x = std::move(*x);
    if (best.x.empty() && i + 1 == all.size() && all[i].columns > 1)
      all.push_back({.columns = 1, .nodes = all[i].nodes, .seed = o.seed});
    if (o.progress && !best.x.empty())
      best.stopped =
          !o.progress({model.stages, model.luts(model.mip.cost_of(best.x)), model.luts(bound),
                       static_cast<unsigned>(i), static_cast<unsigned>(all.size())});
  }
  const bool is_large =
      model.mip.size() >= small_size || (!model.joins && model.request.shape.total() > tall);
  if (best.x.empty() && (o.stages > 0 || is_large))
    if (auto plan = greedy(model, o.seed)) best.x = model.encode(*plan);
  return best;
}

// What carry chains a tree may have below its final adder.
enum class Chains { any, one_slice, none };

struct Attempt {
  bool found = false, refuted = false, stopped = false;
  TreePlan plan;
  double luts = 0;
};

Attempt attempt(const TreePlan& request, unsigned stages, const SolveOptions& o,
                Chains chains = Chains::any) {
  auto list = useful_elements(request);
  if (chains == Chains::none)
    std::erase_if(list, [](std::size_t e) { return elements()[e].is_atom; });
  TreeModel model(request, stages, std::move(list), 0, chains == Chains::any);
  Attempt a;
  const int size = model.mip.size();
  Start start;
  MipResult r;
  if (o.start && o.start->stages.size() == stages) {
    start.x = model.encode(*o.start);
  } else if (size >= small_size) {
    // At once, before a start is looked for in vain.
    r = model.mip.solve({.nodes = 1, .seed = o.seed});
    if (r.is_infeasible) return {.refuted = true};
    start = started(model, o, r.bound);
  }
  if (!start.stopped) r = model.mip.solve({.nodes = nodes(o, size), .seed = o.seed}, start.x);
  a.refuted = r.is_infeasible;
  if (!r.is_proven && start.x.empty()) start = started(model, o, r.bound);
  if (!start.x.empty() && (!r.has_solution || model.mip.cost_of(start.x) < r.objective)) {
    r.has_solution = true;
    r.x = start.x;
  }
  a.stopped = start.stopped;
  if (!r.has_solution) return a;
  double bound = r.bound;
  if (!r.is_proven && o.effort > 0 && !a.stopped) a.stopped = !improve(model, r.x, bound, o);
  a.found = true;
  a.plan = model.decode(r.x);
  const unsigned in_long_runs = audit(a.plan).luts();
  split_runs(a.plan);
  a.plan.bound = std::ceil(bound / TreeModel::scale - 1e-6);
  a.luts = audit(a.plan).luts();
  a.plan.is_proven = r.is_proven && a.luts <= in_long_runs;
  if (o.progress && !a.stopped) a.stopped = !o.progress({stages, a.luts, a.plan.bound, 1, 1});
  return a;
}

// Long chains ripple, short ones need more levels, and a level of LUTs alone is fast but does
// little: all three are tried, a stage more than the least as well.
TreePlan fastest(const TreePlan& request, const SolveOptions& o) {
  std::optional<TreePlan> best;
  bool stopped = false;
  auto time = [](const TreePlan& p) { return std::pair(estimate(p).picoseconds, audit(p).luts()); };
  std::vector all{Chains::any, Chains::one_slice, Chains::none};
  if (o.only_luts || request.shape.total() > tall) all = {Chains::none};
  for (Chains chains : all) {
    unsigned tried = stopped ? 2 : 0;
    for (unsigned s = 0; s <= o.most_stages && tried < 2 && !stopped; ++s) {
      // Every stage has a LUT at least.
      if (best && s * DelayModel::lut >= estimate(*best).picoseconds) break;
      Attempt a = attempt(request, s, o, chains);
      if (!a.found) continue;
      ++tried;
      if (!best || time(a.plan) < time(*best)) best = std::move(a.plan);
      stopped = a.stopped;
    }
  }
  if (!best) throw DesignError("no tree was found for the objective delay");
  // Of the trees with such chains only: no bound for all.
  best->is_proven = false;
  best->bound = 0;
  return *best;
}

}  // namespace

TreePlan solve(const TreePlan& request, const SolveOptions& o) {
  audit({.shape = {std::vector(request.shape.width(), 0u), std::vector(request.shape.width(), 0u)},
         .finish = request.finish});
  if (request.objective == Objective::paper) return solve_paper(request, o);
  if (request.objective == Objective::delay) return fastest(request, o);
  if (o.stages > 0) {
    if (auto a = attempt(request, o.stages, o); a.found) return a.plan;
    throw DesignError(fmt::format("no tree of {} stages was found", o.stages));
  }
  for (unsigned s = 0; s <= o.most_stages; ++s) {
    Attempt best = attempt(request, s, o);
    if (!best.found) continue;
    if (request.objective == Objective::area)
      for (unsigned more = 1, stopped = best.stopped; more <= 2 && !stopped; ++more) {
        Attempt next = attempt(request, s + more, o);
        stopped = next.stopped;
        if (next.found && next.luts < best.luts) best = std::move(next);
      }
    return best.plan;
  }
  throw DesignError(
      fmt::format("no tree of up to {} stages adds this heap of {} bits in {} columns",
                  o.most_stages, request.shape.total(), request.shape.width()));
}

}  // namespace kumiki::gen::compressor
