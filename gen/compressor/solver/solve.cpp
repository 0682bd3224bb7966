// SPDX-License-Identifier: Apache-2.0
#include "gen/compressor/solver/solve.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/compressor/solver/model.h"
#include "gen/compressor/solver/neighbourhood.h"
#include "gen/compressor/solver/paper.h"
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
  std::vector<std::size_t> list;
  for (auto n : names) list.push_back(element_index(n));
  return list;
}

namespace {

// Models of few variables go to CBC whole. Larger ones start from a greedy tree, get fewer nodes of
// CBC, or one, and are then searched in neighbourhoods.
constexpr int small_size = 900, direct_size = 1800;

// A node takes about the square of the size.
int nodes(const SolveOptions& o, int size) {
  if (size >= direct_size) return 1;
  const double square = double(size) * size;
  return std::max(20, static_cast<int>(1.6e7 * (1 << (2 * std::min(o.effort, 3u))) / square));
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
  std::vector<double> start;
  if (o.start && o.start->stages.size() == stages)
    start = model.encode(*o.start);
  else if (size >= small_size && model.mip.solve({.nodes = 1, .seed = o.seed}).is_infeasible)
    return {.refuted = true};  // at once, before a greedy tree is looked for in vain
  else if (size >= small_size)
    if (auto plan = greedy(request, stages, o.seed)) start = model.encode(*plan);
  auto r = model.mip.solve({.nodes = nodes(o, size), .seed = o.seed}, start);
  a.refuted = r.is_infeasible;
  // Few nodes of a small model may find nothing at all.
  if (o.stages > 0 && !r.has_solution && !r.is_infeasible && start.empty())
    if (auto plan = greedy(request, stages, o.seed)) start = model.encode(*plan);
  if (!r.has_solution && !start.empty()) {
    r.has_solution = true;
    r.x = start;
  }
  if (!r.has_solution) return a;
  double bound = r.bound;
  if (!r.is_proven && o.effort > 0) a.stopped = !improve(model, r.x, bound, o);
  a.found = true;
  a.plan = model.decode(r.x);
  a.plan.bound = std::ceil(bound / TreeModel::scale - 1e-6);
  a.plan.is_proven = r.is_proven;
  a.luts = audit(a.plan).luts();
  if (o.progress && !a.stopped) a.stopped = !o.progress({stages, a.luts, a.plan.bound, 1, 1});
  return a;
}

// Long chains ripple, short ones need more levels, and a level of LUTs alone is fast but does
// little: all three are tried, a stage more than the least as well.
TreePlan fastest(const TreePlan& request, const SolveOptions& o) {
  std::optional<TreePlan> best;
  bool stopped = false;
  auto time = [](const TreePlan& p) { return std::pair(estimate(p).picoseconds, audit(p).luts()); };
  for (Chains chains : {Chains::any, Chains::one_slice, Chains::none}) {
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
