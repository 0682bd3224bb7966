// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/attempt.h"

#include <algorithm>
#include <cmath>

#include "gen/blocks/compressor/solver/neighbourhood.h"
#include "gen/blocks/compressor/solver/relax.h"
#include "gen/blocks/compressor/solver/runs.h"
#include "gen/blocks/compressor/solver/start.h"

namespace kumiki::gen::compressor {
namespace {

// CBC solves models of few variables whole. Larger models get a start part by part, and few nodes
// of CBC or only one. A search in neighbourhoods then improves what is not proven.
constexpr int small_size = 900, direct_size = 1800;
// Limits of quick efforts. CBC proves most smaller models almost at once. In larger models no part
// deserves more than a few nodes, nor the last 0.2 % of its LUTs. A column of a wide heap's start
// deserves more nodes. Its decisions are final, and no search in neighbourhoods finds another tree
// as good.
constexpr int quick_size = 220, quick_nodes = 60, few_nodes = 10;
constexpr int column_nodes = 200, vast_column_nodes = 160, tall_column_nodes = 40;
constexpr double quick_gap = 0.002;
// From this size on, preprocessing and strong branching take most of a part's time. So a part is
// solved by plain branching. If that finds nothing, the preceding parts are solved again. Columns
// are numerous and have few elements. Where columns are alike, few programs are solved.
constexpr int plain_size = 1400, plain_column_size = 1300;
// From this size on, the programs for a wide heap's start see few columns at a time. Other starts
// are made at the same time with costs perturbed by a tenth. These often have another pattern of
// columns.
constexpr int wide_size = 400, vast_size = 3000;
// Where columns do not repeat, such starts are abandoned. They are not begun after this much work
// without a result.
constexpr double very = 0.2;
constexpr std::uint64_t long_work = 14'000, vain_work = 8'000;
constexpr unsigned most_steps_back = 4;
// With chains in the last stage only, a tree is hard to find, and LUTs do not matter. With few rows
// two starts are tried; a tree is found quickly or not at all.
constexpr double part_of_last = 0.05;
constexpr std::uint64_t work_of_last = 10'000, brief_work_of_last = 5'000;
// Starting column by column takes long in tall heaps. For bits, plain branching is tried first. For
// few columns, starts by stages are tried before. A single column gets several starts: most of them
// find no tree, and improving a tree that one finds rarely helps.
constexpr unsigned few_columns = 3;
constexpr int slow_columns_size = 600;
// Levels are too few if the linear program with one more level of LUTs costs less by this part.
constexpr double part_of_level = 0.125;

bool is_direct(const TreeModel& model, const Search& search) {
  return model.chains != Chains::last &&
         model.mip.size() < (search.is_quick() ? quick_size : small_size);
}

// Nodes for CBC: the time of a node grows with about the square of the size.
int nodes(const SolveOptions& o, int size) {
  if (size >= direct_size) return 1;
  const double square = double(size) * size;
  const double most = o.effort < 2 ? 2e6 : 1.6e7;
  return std::max(20, static_cast<int>(most * (1 << (2 * std::min(o.effort, 3u))) / square));
}

// Whether this is one of several attempts. For the shortest delay the solver also tries other
// chains and one more stage, so each attempt gets little time.
bool is_one_of_many(const TreeModel& model, const Search& search) {
  return search.is_quick() && model.request.objective == Objective::delay;
}

// Whether the tree has chains in the last stage only and adds few rows.
bool ends_low(const TreeModel& model, const Search& search) {
  return search.is_quick() && model.chains == Chains::last &&
         model.request.shape.height() <= few_rows;
}

// Bits of a heap from which on the cost of a start is about a tenth away from its final cost.
constexpr unsigned rough_heap = 1024;

// The parts of a start are stages in a tall heap and columns in a wide one.
bool is_tall(const TreeModel& model) { return model.request.shape.width() < 3 * model.stages; }

// Whether a tree with one more stage is as good if no start is found at once.
bool may_go_on(const TreeModel& model, const Search& search) {
  const Objective objective = model.request.objective;
  return search.is_quick() && search.options().stages == 0 && objective != Objective::stages &&
         (objective != Objective::delay || !is_tall(model));
}

// Whether most columns are as high as the one below.
bool is_even(const TreeModel& model) {
  const Shape& shape = model.request.shape;
  unsigned alike = 0;
  for (unsigned c = 1; c < shape.width(); ++c)
    alike += shape.bits[c] == shape.bits[c - 1] && shape.pairs[c] == shape.pairs[c - 1];
  return 2 * alike > shape.width();
}

// Columns that a start sees beyond the one that it decides.
unsigned near_columns(const TreeModel& model) {
  return model.mip.size() < vast_size || is_even(model) ? 3 : 2;
}

// Whether the solver also looks for a tree that ends in chains, which is mostly smaller.
bool is_for_comparison(const TreeModel& model, const Search& search) {
  const Objective objective = model.request.objective;
  return search.is_quick() && model.chains != Chains::last &&
         (objective == Objective::luts || objective == Objective::area) &&
         may_end_in_chains(model.request);
}

// Nodes for one column of a start.
int nodes_of_column(const TreeModel& model, const Search& search) {
  if (is_one_of_many(model, search)) return few_nodes;
  if (is_tall(model)) return tall_column_nodes;
  if (is_even(model) && model.stages > 2) return column_nodes / 2;
  return model.mip.size() >= vast_size ? vast_column_nodes : column_nodes;
}

// Whether the programs of a start see few columns at a time.
bool is_cut(const TreeModel& model, const Search& search) {
  return search.is_quick() && !is_one_of_many(model, search) && model.mip.size() >= wide_size &&
         !is_tall(model);
}

// Tries of a round run at once; the next round runs if this one finds nothing.
using Rounds = std::vector<std::vector<RelaxLimits>>;

// The tries of a quick effort. Column by column, CBC's preprocessing and strong branching are worth
// their time. In large models they are not: they take most of the time.
Rounds quick_tries(const TreeModel& model, const Search& search, bool is_brief) {
  const bool is_alone = !is_one_of_many(model, search);
  const bool sees_few = is_cut(model, search);
  const bool is_plain =
      is_alone && model.mip.size() >= plain_column_size && !(sees_few && is_even(model));
  const RelaxLimits by_column{.columns = 1,
                              .horizon = sees_few ? near_columns(model) : 0,
                              .nodes = nodes_of_column(model, search),
                              .gap_part = quick_gap,
                              .cuts = false,
                              .heuristics = false,
                              .is_plain = is_plain,
                              .steps_back = is_plain ? most_steps_back : 0};
  // The same limits with costs perturbed at random, differently for each seed.
  const auto and_others = [](const RelaxLimits& first, std::initializer_list<int> seeds) {
    std::vector<RelaxLimits> all{first};
    for (const int seed : seeds) {
      RelaxLimits& again = all.emplace_back(first);
      again.seed = seed;
      again.wrong = very;
      if (!first.is_plain) again.most_work = std::min(first.most_work, long_work);
    }
    return all;
  };
  if (model.chains == Chains::last) {
    const RelaxLimits limits{
        .columns = 1,
        .horizon = near_columns(model),
        .nodes = quick_nodes,
        .gap_part = part_of_last,
        .cuts = false,
        .heuristics = false,
        .steps_back = most_steps_back,
        .most_work = is_brief || ends_low(model, search) ? brief_work_of_last : work_of_last};
    return {ends_low(model, search) ? and_others(limits, {3}) : std::vector{limits}};
  }
  if (!is_tall(model)) {
    if (!sees_few || is_for_comparison(model, search) || search.work() > vain_work)
      return {{by_column}};
    const bool is_short = is_even(model) && model.stages <= 2 && model.mip.size() < vast_size;
    return {is_short ? and_others(by_column, {2, 3}) : and_others(by_column, {3})};
  }
  const RelaxLimits up{
      .nodes = quick_nodes, .gap_part = quick_gap, .cuts = false, .is_plain = true};
  RelaxLimits down = up;
  down.backwards = true;
  if (model.mip.size() >= plain_size) {
    down.is_rescued = true;
    return {{down}};
  }
  // In these models upward starts take long and end in larger trees or in none.
  if (model.mip.size() >= small_size) return {and_others(down, {2})};
  // With levels of LUTs only and no spare stage, no other start has found a tree.
  if (!is_alone) return {{down}};
  const Shape& shape = model.request.shape;
  if (model.mip.size() < slow_columns_size) return {{by_column, up, down}};
  if (columns_of(shape) == 1 && !shape.has_pairs()) {
    std::vector<RelaxLimits> all = and_others(down, {3, 5});
    all.push_back(up);
    return {all, {by_column}};
  }
  if (columns_of(shape) <= few_columns) return {{up, down}, {by_column}};
  // With pairs, upward starts rarely give the smallest tree.
  if (shape.has_pairs()) return {{by_column, down}};
  RelaxLimits by_branches = by_column;
  by_branches.is_plain = true;
  by_branches.steps_back = most_steps_back;
  return {{by_branches, up, down}, {by_column}};
}

// If those fail, CBC with its heuristics finds a start more often.
Rounds last_tries(const TreeModel& model, const Search& search) {
  RelaxLimits first{.nodes = quick_nodes, .gap_part = quick_gap, .cuts = false};
  RelaxLimits second = first;
  if (!is_tall(model)) {
    first.columns = 3, second.columns = 1;
    return {{first, second}};
  }
  first.backwards = true;
  return is_one_of_many(model, search) ? Rounds{{first}} : Rounds{{first, second}};
}

Rounds long_tries(const TreeModel& model) {
  if (is_tall(model))
    return {{{.nodes = 1000},
             {.backwards = true, .nodes = 1000},
             {.ahead = 1, .nodes = 1000},
             {.backwards = true, .ahead = 1, .nodes = 1000}}};
  return {
      {{.columns = 3, .nodes = 400}, {.columns = 2, .nodes = 400}, {.columns = 1, .nodes = 400}}};
}

// Levels of 6:3 LUT counters that reduce a height to three bits, plus one for an adder.
unsigned halvings(unsigned height) {
  unsigned levels = 1;
  for (unsigned most = 3; most < height; most *= 2) ++levels;
  return levels;
}

// The best of several starts made part by part. If all of them fail: a greedy start, or empty.
std::vector<double> started(const TreeModel& model, double bound, Search& search, bool is_brief) {
  const SolveOptions& o = search.options();
  std::vector<double> best;
  auto keep = [&](std::vector<double> x) {
    if (best.empty() || model.mip.cost_of(x) < model.mip.cost_of(best)) best = std::move(x);
  };
  auto try_greedy = [&] {
    if (model.chains == Chains::last) return;  // it looks at one stage at a time
    if (auto x = greedy(model, search)) keep(std::move(*x));
  };
  // Starting stage by stage is the quickest. For wide heaps with chains it rarely gives a good
  // start. For levels of LUTs it does, possibly with one more level.
  const bool is_many = is_one_of_many(model, search);
  const bool only_greedy = is_many && model.chains == Chains::none && !is_tall(model);
  auto try_all = [&](const Rounds& rounds) {
    for (const std::vector<RelaxLimits>& round : rounds) {
      std::vector<Search::Part> parts;
      for (RelaxLimits limits : round) {
        limits.seed += o.seed - 1;
        if (o.seed > 1) limits.wrong = std::max(limits.wrong, slightly);
        parts.emplace_back(
            [&model, limits](Search& own) { return relax_and_fix(model, limits, own); });
      }
      for (auto& x : search.look(parts))
        if (x) keep(std::move(*x));
      if (best.empty()) continue;
      search.report({model.stages, model.luts(model.mip.cost_of(best)), model.luts(bound), 1, 1});
      return;
    }
  };
  if (search.is_quick()) {
    if (only_greedy) try_greedy();
    const bool goes_on = o.stages == 0 && model.stages <= halvings(model.request.shape.height());
    if (only_greedy && (goes_on || !best.empty())) return best;
    try_all(quick_tries(model, search, is_brief));
    if (best.empty() && !only_greedy && (is_tall(model) || !may_go_on(model, search))) try_greedy();
    const bool is_given_up =
        is_brief || (model.chains == Chains::last && search.work() > work_of_last);
    if (best.empty() && !is_given_up && !may_go_on(model, search) && (is_tall(model) || !is_many))
      try_all(last_tries(model, search));
    return best;
  }
  try_all(long_tries(model));
  const bool is_large =
      model.mip.size() >= small_size || (!model.joins && model.request.shape.total() > tall_heap);
  if (best.empty() && (o.stages > 0 || is_large)) try_greedy();
  return best;
}

// Solves the linear program, with cuts in a long search. It shows whether there can be a tree and
// gives a lower bound of its cost.
MipResult relaxed(const TreeModel& model, Search& search) {
  const MipLimits limits{.nodes = 1, .seed = search.options().seed};
  if (!search.is_quick()) return search.solve(model.mip, limits);
  MipResult r = search.solve(model.mip.relaxed(), {.seed = limits.seed, .is_plain = true});
  r.has_solution = false;
  r.is_proven = r.is_infeasible;
  return r;
}

std::unique_ptr<TreeModel> model_of(const TreePlan& request, unsigned stages, Means means) {
  auto list = useful_elements(request);
  if (means.chains == Chains::none)
    std::erase_if(list, [](std::size_t e) { return elements()[e].is_atom; });
  if (means.has_c23) list.push_back(element_index("c23"));
  return std::make_unique<TreeModel>(request, stages, std::move(list), 0, means.chains);
}

// Whether a tall heap has too few levels of LUTs although its linear program, which costs `bound`,
// has a solution. That is so if one more level costs much less.
bool lacks_levels(const TreeModel& model, double bound, Means means, Search& search) {
  const SolveOptions& o = search.options();
  const bool may_have_more = o.stages == 0 && model.stages < o.most_stages;
  if (model.chains != Chains::none || !is_tall(model) || !may_have_more) return false;
  const double next = relaxed(*model_of(model.request, model.stages + 1, means), search).bound;
  return next > 0 && next < bound - bound * part_of_level;
}

}  // namespace

unsigned columns_of(const Shape& shape) {
  unsigned n = 0;
  for (unsigned c = 0; c < shape.width(); ++c) n += shape.bits[c] + shape.pairs[c] > 0;
  return n;
}

bool is_low(const Shape& shape) { return 2 * columns_of(shape) < shape.width(); }

bool may_end_in_chains(const TreePlan& request) {
  const unsigned rows = request.shape.height();
  return request.finish == Finish::row && !is_low(request.shape) && rows >= 3 && rows <= few_rows;
}

Attempt attempt(const TreePlan& request, unsigned stages, Search& search, Means means,
                const Attempt* undercut) {
  const SolveOptions& o = search.options();
  Attempt a;
  a.model_ = model_of(request, stages, means);
  const TreeModel& model = *a.model_;
  // For the largest wide heaps even the linear program takes long, and one more stage gains little.
  if (undercut && search.is_quick() && !is_tall(model) && model.mip.size() >= vast_size) return a;
  std::vector<double> start;
  MipResult r;
  const bool cuts = !search.is_quick();
  if (o.start && o.start->stages.size() == stages) {
    start = model.encode(*o.start);
  } else if (!is_direct(model, search)) {
    // Solve the linear program first, to find an infeasible model before spending time on a start.
    // Few rows always have a tree that ends in chains, and a start takes less time.
    if (!ends_low(model, search)) {
      r = relaxed(model, search);
      a.relaxed_ = r.bound;
    }
    if (r.is_infeasible || (undercut && undercut->outdoes(r.bound))) return a;
    if (is_one_of_many(model, search) && lacks_levels(model, r.bound, means, search)) return a;
    start = undercut && !is_tall(model) ? a.padded(*undercut)
                                        : started(model, r.bound, search, means.is_brief);
  }
  if (model.chains == Chains::last && search.is_quick()) {
    a.bound_ = a.relaxed_;
    a.x_ = std::move(start);
    return a;
  }
  // If no start is found, more nodes show whether there is any tree.
  const bool in_vain = start.empty() && !is_direct(model, search);
  if (in_vain && (is_one_of_many(model, search) || may_go_on(model, search))) return a;
  // Neighbourhoods improve a start faster.
  if (search.is_quick() && !start.empty())
    r.is_proven = false;
  else if (!search.is_stopped())
    r = search.solve(model.mip, {.nodes = nodes(o, model.mip.size()), .seed = o.seed, .cuts = cuts},
                     start);
  if (r.is_infeasible) return a;
  if (!r.is_proven && start.empty() && !in_vain)
    start = started(model, r.bound, search, means.is_brief);
  if (!start.empty() && (!r.has_solution || model.mip.cost_of(start) < r.objective)) {
    r.has_solution = true;
    r.x = std::move(start);
  }
  if (!r.has_solution) return a;
  a.bound_ = r.is_stopped || r.is_lost ? a.relaxed_ : r.bound;
  a.is_proven_ = r.is_proven;
  a.x_ = std::move(r.x);
  search.report({stages, model.luts(a.cost()), model.luts(a.bound_), 1, 1});
  return a;
}

std::vector<Attempt> attempts(const TreePlan& request, const std::vector<Sought>& all,
                              Search& search) {
  std::vector<Search::Part> parts;
  for (const Sought& sought : all)
    parts.emplace_back([&](Search& own) {
      Attempt a = attempt(request, sought.stages, own, sought.means);
      return a.is_found() ? std::optional(std::move(a.x_)) : std::nullopt;
    });
  std::vector<Attempt> found;
  auto solutions = search.look(parts);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!solutions[i]) continue;
    Attempt& a = found.emplace_back();
    a.model_ = model_of(request, all[i].stages, all[i].means);
    a.x_ = std::move(*solutions[i]);
  }
  return found;
}

// Whether trees of another model, whose linear program costs `relaxed`, are not worth the time. One
// more stage gains as much as its linear program does, except for tall heaps of very many bits.
bool Attempt::outdoes(double relaxed) const {
  if (relaxed >= cost()) return true;
  const bool is_rough = is_tall(*model_) && model_->request.shape.total() > rough_heap;
  return !is_rough && relaxed_ > 0 && relaxed > relaxed_ - relaxed_ / least_gain;
}

// A start for one more stage, if none is found quickly: the known tree plus an empty stage.
std::vector<double> Attempt::padded(const Attempt& of) {
  TreePlan plan = of.plan();
  plan.stages.resize(model_->stages);
  is_padded_ = true;
  return model_->encode(plan);
}

bool Attempt::is_large() const { return model_->mip.size() >= wide_size; }

bool Attempt::tells_at_once(const Search& search) const {
  const unsigned bits = model_->request.shape.total();
  const bool is_small = model_->mip.size() < small_size && !may_end_in_chains(model_->request);
  return search.is_quick() && (is_tall(*model_) || is_small) && bits > tall_heap &&
         bits <= rough_heap;
}

void Attempt::improve(Search& search, unsigned among) {
  if (!is_found() || is_proven_ || search.options().effort == 0 || search.is_stopped()) return;
  // For wide heaps, neighbourhoods find few better trees.
  const bool is_long = model_->mip.size() >= plain_column_size || is_one_of_many(*model_, search);
  if (search.is_quick() && !is_tall(*model_) && is_long) among *= 2;
  compressor::improve(*model_, x_, bound_, search, among);
}

TreePlan Attempt::plan() const {
  TreePlan plan = model_->decode(x_);
  if (is_padded_) std::erase_if(plan.stages, [](const Stage& stage) { return stage == Stage{}; });
  const unsigned in_long_runs = audit(plan).luts();
  split_runs(plan);
  plan.bound = std::ceil(bound_ / TreeModel::scale - 1e-6);
  const unsigned luts = audit(plan).luts();
  plan.is_proven = luts <= plan.bound || (is_proven_ && luts <= in_long_runs);
  return plan;
}

unsigned Attempt::plan_luts() const { return audit(plan()).luts(); }

}  // namespace kumiki::gen::compressor
