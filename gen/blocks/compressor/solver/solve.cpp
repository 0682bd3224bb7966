// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/solve.h"

#include <algorithm>
#include <csignal>
#include <limits>

#include <fmt/format.h>

#include "gen/blocks/compressor/messages.h"
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

double luts_bound(const TreePlan& request) {
  const TreeModel model(request, SolveOptions{}.most_stages, useful_elements(request));
  const MipResult r = model.mip.relaxed().solve({});
  return r.has_solution ? model.luts(r.objective) : 0;
}

namespace {

void none_yet(const Search& search) {
  if (search.is_stopped()) throw Interrupted(SIGINT);
}

// The largest number of bits and pairs for which chains in the last stage alone are tried, in low
// heaps and in others. Larger heaps take long, and trees of LUTs are as fast.
constexpr unsigned most_of_low = 256, most_of_wide = 128;

// A quick search rarely improves a tree by more than 1/`gain_of_improving` of its LUTs.
constexpr unsigned gain_of_improving = 30;

// A tree that was found, with the figures by which trees are compared.
struct Candidate {
  Candidate(TreePlan of, ir::Family family)
      : plan(std::move(of)), time(estimate(plan, family).picoseconds), luts(audit(plan).luts()) {}
  TreePlan plan;
  unsigned time, luts;
};
const Candidate& fastest(const std::vector<Candidate>& of) {
  return *std::ranges::min_element(of, {},
                                   [](const Candidate& c) { return std::pair(c.time, c.luts); });
}

// The kinds of trees worth trying for a short delay. Only two rows have a final adder that is a
// single chain of atoms, and for many bits no such tree is found in time. The first stages of tall
// heaps use LUTs only.
std::vector<Means> means_for(const TreePlan& request, const SolveOptions& o, bool may_be_large) {
  const unsigned bits = request.shape.total();
  const bool is_wide = !is_low(request.shape);
  if (o.only_luts) return {{Chains::none}};
  if (request.finish == Finish::row && bits <= (is_wide ? most_of_wide : most_of_low)) {
    if (may_be_large && is_wide) return {{Chains::none}, {Chains::last}, {Chains::last, true}};
    return {{Chains::none}, {Chains::last}};
  }
  if (request.finish == Finish::row || bits > tall_heap) return {{Chains::none}};
  return {{Chains::any}, {Chains::one_slice}, {Chains::none}};
}

// Trees with a short delay. Long chains ripple, and short ones need more levels. A level of LUTs
// alone is fast but does little. A final adder of atoms takes more than two rows. So several kinds
// are tried. Trees that may be large serve only the shortest delay. A quick search improves its
// best tree only if that takes less than `enough` picoseconds; a slower one is not used.
std::vector<Candidate> fast_trees(const TreePlan& request, Search& search, bool may_be_large,
                                  unsigned enough = std::numeric_limits<unsigned>::max()) {
  const SolveOptions& o = search.options();
  const unsigned lut = DelayModel::of(o.family).lut;
  std::optional<Attempt> best;
  std::vector<Candidate> found;
  const unsigned last = o.stages > 0 ? o.stages : o.most_stages;
  unsigned levels = last + 1;  // of the lowest tree, including an adder behind its last stage
  // Every stage takes at least the delay of a LUT, and an adder behind it adds a level.
  const auto may_be_faster = [&](unsigned stages) {
    return !best || stages * lut < fastest(found).time;
  };
  const auto keep = [&](Attempt a) {
    found.emplace_back(a.plan(), o.family);
    levels = std::min(levels, a.stages() + (audit(found.back().plan).finish_luts > 0));
    if (!best || &fastest(found) == &found.back()) best = std::move(a);
  };
  std::vector<Sought> in_chains;
  for (const Means& means : means_for(request, o, may_be_large)) {
    // Trees that end in chains are as high as trees of LUTs including their adder, and have fewer
    // LUTs or one stage less. c23 is worth its LUTs only if it saves a stage. Neither saves two.
    unsigned first = o.stages, end = last + 1;
    if (means.chains == Chains::last && levels <= last) {
      if (first == 0) first = levels - std::min(levels, 1u);
      end = levels + !means.has_c23;
      // Most searches for them fail.
      if (search.is_quick()) {
        for (unsigned s = first; s < end; ++s)
          if (may_be_faster(s)) in_chains.push_back({s, means});
        continue;
      }
    }
    // A quick search takes the least number of stages that it finds. A comparison has small trees
    // and tries one more stage; so do all other searches.
    unsigned tries = search.is_quick() && request.finish == Finish::row ? 1 : 2;
    for (unsigned s = first; s < end && tries > 0 && !search.is_stopped(); ++s) {
      if (!may_be_faster(s)) break;
      Attempt a = attempt(request, s, search, means);
      if (!a.is_found()) continue;
      --tries;
      if (!search.is_quick()) a.improve(search);
      keep(std::move(a));
    }
  }
  for (Attempt& a : attempts(request, in_chains, search)) keep(std::move(a));
  if (!best) {
    none_yet(search);
    throw DesignError(code::no_tree, fmt::format("no tree was found for the objective {}",
                                                 name(request.objective)));
  }
  if (search.is_quick() && !search.is_stopped() && fastest(found).time < enough) {
    best->improve(search);
    found.emplace_back(best->plan(), o.family);
  }
  return found;
}

// A proof of an attempt covers only trees with the same chains, so it does not hold for all trees.
TreePlan unproven(TreePlan plan, Objective objective) {
  plan.objective = objective;
  plan.is_proven = false;
  plan.bound = 0;
  return plan;
}

// The tree with the fewest LUTs, also with more stages. Improving a tree takes several times as
// long as finding it. So a quick search improves only trees that are nearly as small as the
// smallest. `seen` collects all trees found on the way.
TreePlan smallest(const TreePlan& request, Attempt first, Search& search,
                  std::vector<Candidate>* seen) {
  std::vector<Attempt> all;
  all.push_back(std::move(first));
  unsigned least = all.front().plan_luts();
  for (unsigned more = 1; more <= 2 && !search.is_stopped(); ++more) {
    Attempt next = attempt(request, all.front().stages() + more, search, {},
                           search.is_quick() ? &all.back() : nullptr);
    if (!next.is_found()) break;
    const unsigned before = least, luts = next.plan_luts();
    all.push_back(std::move(next));
    least = std::min(before, luts);
    if (search.is_quick() && luts + before / least_gain >= before) break;
  }
  const auto is_near = [&](const Attempt& a) {
    return !search.is_quick() || a.plan_luts() <= least + least / gain_of_improving;
  };
  const auto near = static_cast<unsigned>(std::ranges::count_if(all, is_near));
  std::optional<TreePlan> best;
  for (Attempt& a : all) {
    if (is_near(a)) a.improve(search, (near + 1) / 2);
    const TreePlan plan = a.plan();
    if (seen) seen->emplace_back(plan, search.options().family);
    if (!best || audit(plan).luts() < audit(*best).luts()) best = plan;
  }
  return *best;
}

// For few words, a tree that ends in chains without a final adder is smaller by up to a sixth. It
// has more stages than a search that adds stages one by one would reach. For three words it has no
// more levels.
std::optional<TreePlan> in_chains(const TreePlan& request, const Attempt& other, Search& search,
                                  std::vector<Candidate>* seen) {
  if (!may_end_in_chains(request)) return {};
  const unsigned stages = request.shape.height() - 1;
  if (request.objective == Objective::stages) {
    const TreePlan plan = other.plan();
    if (stages > plan.stages.size() + (audit(plan).finish_luts > 0)) return {};
  }
  Attempt a = attempt(request, stages, search, {Chains::last});
  if (!a.is_found()) return {};
  a.improve(search);
  TreePlan plan = unproven(a.plan(), request.objective);
  if (seen) seen->emplace_back(plan, search.options().family);
  return plan;
}

TreePlan of_luts(const TreePlan& request, Search& search, std::vector<Candidate>* seen = nullptr) {
  const SolveOptions& o = search.options();
  const unsigned last = o.stages > 0 ? o.stages : o.most_stages;
  for (unsigned s = o.stages; s <= last && !search.is_stopped(); ++s) {
    Attempt first = attempt(request, s, search);
    if (!first.is_found()) continue;
    const bool looks_on = o.stages == 0 && request.objective != Objective::stages;
    const auto luts = [](const TreePlan& plan) { return audit(plan).luts(); };
    const auto chains =
        o.stages == 0 ? in_chains(request, first, search, seen) : std::optional<TreePlan>();
    // Improving does not make a far larger tree small.
    const bool is_far = search.is_quick() && chains &&
                        first.plan_luts() > luts(*chains) + luts(*chains) / gain_of_improving;
    if (looks_on && !is_far) {
      const TreePlan best = smallest(request, std::move(first), search, seen);
      return chains && luts(*chains) < luts(best) ? *chains : best;
    }
    if (!is_far) first.improve(search);
    const TreePlan best = first.plan();
    if (seen) seen->emplace_back(best, o.family);
    return chains && luts(*chains) < luts(best) ? *chains : best;
  }
  none_yet(search);
  if (o.stages > 0)
    throw DesignError(code::no_tree, fmt::format("no tree of {} stages was found", o.stages));
  throw DesignError(
      code::no_tree,
      fmt::format("no tree of up to {} stages adds this heap of {} bits in {} columns",
                  o.most_stages, request.shape.total(), request.shape.width()));
}

// How much slower than the fastest tree a small one may be, in twentieths. The limit keeps it as
// fast as a synthesiser's result for the same sums (README.md has figures). That result is slow for
// bits in one low column, less slow in a few columns, and for wide sums nearly as fast as the
// fastest tree here.
unsigned most_slower(const Shape& shape) {
  if (!is_low(shape)) return 1;
  return columns_of(shape) == 1 ? 9 : 7;
}

// An estimate of a synthesiser's result for wide sums: full adders of LUTs, three rows to two per
// level, and a carry chain at the end. The gates of pairs take part of a level. The estimate is
// slightly below the measured time (README.md).
unsigned synthesised(const Shape& shape, ir::Family family) {
  const DelayModel d = DelayModel::of(family);
  unsigned levels = 1;
  for (unsigned rows = shape.height(); rows > 2; ++levels) rows -= rows / 3;
  const unsigned carry = shape.width() * d.position, time = levels * d.lut + d.chain + carry;
  const unsigned gates = shape.has_pairs() ? d.lut / 2 : 0;
  // With many rows the low columns are ready early; with three or four rows they are not.
  return levels <= 3 ? time + gates + carry / 12 + d.lut * 5 / 8 : time + gates - time / 50;
}

// The tree with the fewest LUTs among those not much slower than the fastest one, or than a
// synthesiser's result. If a small tree meets the latter, no fast tree is searched for.
TreePlan small_and_fast(TreePlan request, Search& search) {
  const SolveOptions& o = search.options();
  std::vector<Candidate> all;
  for (const TreePlan& plan : o.known) all.emplace_back(plan, o.family);
  const auto knows = [&](Objective objective) {
    return std::ranges::find(o.known, objective, &TreePlan::objective) != o.known.end();
  };
  const bool is_wide = !is_low(request.shape) && request.finish == Finish::row;
  unsigned most = is_wide ? synthesised(request.shape, o.family) : 0;
  const auto is_fast = [&](const Candidate& c) { return c.time <= most; };
  if (!knows(Objective::luts) && o.stages == 0) (void)of_luts(request, search, &all);
  if (std::ranges::none_of(all, is_fast)) {
    request.objective = Objective::delay;
    const unsigned slower = 20 + most_slower(request.shape);
    // If the fastest tree is slower than this, the small ones are fast enough.
    const unsigned enough = all.empty() ? std::numeric_limits<unsigned>::max()
                                        : (fastest(all).time * 20 + slower - 1) / slower;
    if (!knows(Objective::delay) && !search.is_stopped())
      for (Candidate& c : fast_trees(request, search, false, enough)) all.push_back(std::move(c));
    if (all.empty()) none_yet(search);
    most = std::max(most, fastest(all).time * slower / 20);
  }
  std::erase_if(all, [&](const Candidate& c) { return !is_fast(c); });
  const auto best = std::ranges::min_element(
      all, {}, [](const Candidate& c) { return std::pair(c.luts, c.time); });
  return unproven(best->plan, Objective::area);
}

TreePlan by_objective(const TreePlan& request, Search& search) {
  if (request.objective == Objective::area) return small_and_fast(request, search);
  if (request.objective != Objective::delay) return of_luts(request, search);
  return unproven(fastest(fast_trees(request, search, true)).plan, Objective::delay);
}

}  // namespace

TreePlan solve(const TreePlan& request, const SolveOptions& o) {
  audit({.shape = {std::vector(request.shape.width(), 0u), std::vector(request.shape.width(), 0u)},
         .finish = request.finish});
  if (request.objective == Objective::paper) return solve_paper(request, o);
  Search search(o);
  TreePlan plan = by_objective(request, search);
  plan.is_stopped = search.is_stopped();
  return plan;
}

}  // namespace kumiki::gen::compressor
