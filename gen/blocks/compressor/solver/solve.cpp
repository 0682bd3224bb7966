// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/solve.h"

#include <csignal>

#include <fmt/format.h>

#include "gen/blocks/compressor/solver/attempt.h"
#include "gen/blocks/compressor/solver/paper.h"
#include "gen/blocks/compressor/timing.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::gen::compressor {

std::vector<std::size_t> useful_elements(const TreePlan& request) {
  std::vector<std::string_view> names{"fa",   "c25",  "c63",   "A2",    "A14",   "A06",  "A125",
                                      "A134", "A116", "A1324", "A1333", "A1315", "A0424"};
  if (request.shape.has_pairs())
    names.insert(names.end(), {"p3", "p2", "B14"});
  else if (!request.free_exits)
    names.insert(names.end(), {"A13", "B14"});  // room for open carries
  // Leaves cost delay, because their readers take carries through an exit.
  if (!request.shape.has_pairs() && !request.free_exits && request.objective != Objective::delay)
    names.insert(names.end(), {"B2", "v3", "H05"});
  std::vector<std::size_t> list;
  for (auto n : names) list.push_back(element_index(n));
  return list;
}

namespace {

void none_yet(const Search& search) {
  if (search.is_stopped()) throw Interrupted(SIGINT);
}

// The tree with the shortest delay. Long chains ripple, short ones need more levels, and a level of
// LUTs alone is fast but does little. So all three are tried, also with one stage more than the
// least.
TreePlan fastest(const TreePlan& request, Search& search) {
  const SolveOptions& o = search.options();
  std::optional<Attempt> best;
  TreePlan plan;
  const unsigned lut = DelayModel::of(o.family).lut;
  auto time = [&](const TreePlan& p) {
    return std::pair(estimate(p, o.family).picoseconds, audit(p).luts());
  };
  auto keep = [&](Attempt& a) {
    TreePlan now = a.plan();
    if (best && time(plan) <= time(now)) return;
    plan = std::move(now);
    best = std::move(a);
  };
  std::vector all{Chains::any, Chains::one_slice, Chains::none};
  if (o.only_luts || request.shape.total() > tall_heap) all = {Chains::none};
  for (Chains chains : all) {
    unsigned tried = search.is_stopped() ? 2 : 0;
    for (unsigned s = 0; s <= o.most_stages && tried < 2 && !search.is_stopped(); ++s) {
      // Every stage takes at least the delay of a LUT.
      if (best && s * lut >= time(plan).first) break;
      Attempt a = attempt(request, s, search, chains);
      if (!a.is_found()) continue;
      ++tried;
      if (!search.is_quick()) a.improve(search);
      keep(a);
    }
  }
  if (!best) {
    none_yet(search);
    throw DesignError(Code::no_tree, "no tree was found for the objective delay");
  }
  if (search.is_quick() && !search.is_stopped()) {
    best->improve(search);
    if (TreePlan better = best->plan(); time(better) < time(plan)) plan = std::move(better);
  }
  // The proof is for trees with these chains only, so it does not hold for all trees.
  plan.is_proven = false;
  plan.bound = 0;
  return plan;
}

// The tree with the fewest LUTs, with more stages too.
TreePlan smallest(const TreePlan& request, Attempt best, Search& search) {
  for (unsigned more = 1, from = best.stages(); more <= 2 && !search.is_stopped(); ++more) {
    const unsigned before = best.plan_luts();
    Attempt next =
        attempt(request, from + more, search, Chains::any, search.is_quick() ? &best : nullptr);
    next.improve(search);
    const unsigned after = next.is_found() ? next.plan_luts() : before;
    if (after < before) best = std::move(next);
    if (search.is_quick() && after + before / least_gain >= before) break;
  }
  return best.plan();
}

TreePlan of_luts(const TreePlan& request, Search& search) {
  const SolveOptions& o = search.options();
  const unsigned last = o.stages > 0 ? o.stages : o.most_stages;
  for (unsigned s = o.stages; s <= last && !search.is_stopped(); ++s) {
    Attempt first = attempt(request, s, search);
    if (!first.is_found()) continue;
    first.improve(search);
    const bool look_on = o.stages == 0 && request.objective == Objective::area;
    return look_on ? smallest(request, std::move(first), search) : first.plan();
  }
  none_yet(search);
  if (o.stages > 0)
    throw DesignError(Code::no_tree, fmt::format("no tree of {} stages was found", o.stages));
  throw DesignError(
      Code::no_tree,
      fmt::format("no tree of up to {} stages adds this heap of {} bits in {} columns",
                  o.most_stages, request.shape.total(), request.shape.width()));
}

}  // namespace

TreePlan solve(const TreePlan& request, const SolveOptions& o) {
  audit({.shape = {std::vector(request.shape.width(), 0u), std::vector(request.shape.width(), 0u)},
         .finish = request.finish});
  if (request.objective == Objective::paper) return solve_paper(request, o);
  Search search(o);
  TreePlan plan =
      request.objective == Objective::delay ? fastest(request, search) : of_luts(request, search);
  plan.is_stopped = search.is_stopped();
  return plan;
}

}  // namespace kumiki::gen::compressor
