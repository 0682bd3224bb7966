// SPDX-License-Identifier: Apache-2.0
#include "gen/compressor/solver/solve.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/compressor/solver/model.h"
#include "gen/compressor/solver/neighbourhood.h"
#include "gen/compressor/solver/paper.h"
#include "gen/compressor/solver/start.h"
#include "ir/error.h"

namespace kumiki::gen::compressor {

std::vector<std::size_t> useful_elements(const TreePlan& request) {
  std::vector<std::string_view> names{"fa",   "c25",  "c63",   "A2",    "A14",   "A06",  "A125",
                                      "A134", "A116", "A1324", "A1333", "A1315", "A0424"};
  if (request.shape.has_pairs())
    names.insert(names.end(), {"p3", "p2", "B14"});
  else if (!request.free_exits)
    names.insert(names.end(), {"A13", "B14"});  // room for open carries
  if (request.objective == Objective::delay)    // no carry chain below the final adder
    std::erase_if(names, [](std::string_view n) { return element(n).is_atom; });
  std::vector<std::size_t> list;
  for (auto n : names) list.push_back(element_index(n));
  return list;
}

namespace {

// Models of so many variables go to CBC whole. Those of middle size get fewer nodes of it and are
// then searched in neighbourhoods; larger ones start from a greedy tree.
constexpr int small_size = 900, direct_size = 2400;

int nodes(const SolveOptions& o, int size) {
  if (size >= direct_size) return 1;
  const unsigned effort = std::min(o.effort, size < small_size ? 5u : 2u);
  return (100 << (2 * effort)) / (size < small_size ? 1 : 8);
}

struct Attempt {
  bool found = false, refuted = false;
  TreePlan plan;
  double luts = 0;
};

Attempt attempt(const TreePlan& request, unsigned stages, const SolveOptions& o) {
  TreeModel model(request, stages, useful_elements(request));
  Attempt a;
  const int size = model.mip.size();
  std::vector<double> start;
  if (o.start && o.start->stages.size() == stages)
    start = model.encode(*o.start);
  else if (size >= direct_size)
    if (auto plan = greedy(request, stages, o.seed)) start = model.encode(*plan);
  auto r = model.mip.solve({.nodes = nodes(o, size), .seed = o.seed}, start);
  a.refuted = r.is_infeasible;
  if (!r.has_solution && !start.empty()) {
    r.has_solution = true;
    r.x = start;
  }
  if (!r.has_solution) return a;
  double bound = r.bound;
  if (!r.is_proven && o.effort > 0) improve(model, r.x, bound, o);
  a.found = true;
  a.plan = model.decode(r.x);
  a.plan.bound = std::ceil(bound - 1e-6) / TreeModel::scale;
  a.plan.is_proven = r.is_proven;
  a.luts = audit(a.plan).luts();
  if (o.progress) o.progress({stages, a.luts, a.plan.bound});
  return a;
}

}  // namespace

TreePlan solve(const TreePlan& request, const SolveOptions& o) {
  audit({.shape = {std::vector(request.shape.width(), 0u), std::vector(request.shape.width(), 0u)},
         .finish = request.finish});
  if (request.objective == Objective::paper) return solve_paper(request, o);
  if (o.stages > 0) {
    if (auto a = attempt(request, o.stages, o); a.found) return a.plan;
    throw DesignError(fmt::format("no tree of {} stages was found", o.stages));
  }
  for (unsigned s = 0; s <= o.most_stages; ++s) {
    Attempt best = attempt(request, s, o);
    if (!best.found) continue;
    if (request.objective == Objective::area)
      for (unsigned more = 1; more <= 2; ++more)
        if (Attempt next = attempt(request, s + more, o); next.found && next.luts < best.luts)
          best = std::move(next);
    return best.plan;
  }
  throw DesignError(
      fmt::format("no tree of up to {} stages adds this heap of {} bits in {} columns",
                  o.most_stages, request.shape.total(), request.shape.width()));
}

}  // namespace kumiki::gen::compressor
