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
// deserves more nodes: its decisions are final.
constexpr int quick_size = 220, quick_nodes = 60, few_nodes = 10;
constexpr int column_nodes = 200, tall_column_nodes = 40;
constexpr double quick_gap = 0.002;
// From this size on, a wide heap's start sees few columns at a time.
constexpr int wide_size = 400;
// From this size on, columns that differ get plain branching: preprocessing and strong branching
// would take most of the time. If it finds nothing, the columns before are solved again.
constexpr int plain_size = 1300;
constexpr unsigned near_columns = 3, most_steps_back = 4;
// With chains in the last stage only, a tree is hard to find, and LUTs do not matter.
constexpr double part_of_last = 0.05;
constexpr std::uint64_t work_of_last = 6'000;
// From this size on, starting a tall heap of ones or pairs column by column takes long and rarely
// finds a tree.
constexpr int stages_size = 600;
// Twice the largest part by which the costs of a repeated start are wrong.
constexpr double very = 0.2;

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

// Starts that are made at once; the best one is taken.
using Starts = std::vector<RelaxLimits>;

// The start, and the same with costs that are wrong at random, differently for each seed. These
// often find another pattern of columns, or a tree where the first finds none.
Starts with_others(const RelaxLimits& first, std::initializer_list<int> seeds) {
  Starts all{first};
  for (const int seed : seeds) {
    all.push_back(first);
    all.back().seed = seed;
    all.back().wrong = very;
  }
  return all;
}

Starts quick_starts(const TreeModel& model, const Search& search) {
  RelaxLimits by_column{.columns = 1,
                        .horizon = near_columns,
                        .nodes = quick_nodes,
                        .gap_part = quick_gap,
                        .cuts = false,
                        .heuristics = false};
  if (model.chains == Chains::last) {
    by_column.gap_part = part_of_last;
    by_column.steps_back = most_steps_back;
    by_column.most_work = work_of_last;
    return {by_column};
  }
  const bool is_alone = !is_one_of_many(model, search);
  if (!is_tall(model)) {
    by_column.nodes = is_alone ? column_nodes : few_nodes;
    if (!is_alone || model.mip.size() < wide_size) by_column.horizon = 0;
    by_column.is_plain = is_alone && model.mip.size() >= plain_size && !is_even(model);
    by_column.steps_back = by_column.is_plain ? most_steps_back : 0;
    if (by_column.horizon == 0) return {by_column};
    return is_even(model) ? with_others(by_column, {2, 3}) : with_others(by_column, {3});
  }
  by_column.horizon = 0;
  by_column.nodes = tall_column_nodes;
  const RelaxLimits up{
      .nodes = quick_nodes, .gap_part = quick_gap, .cuts = false, .is_plain = true};
  RelaxLimits down = up;
  down.backwards = true;
  // With levels of LUTs only and no spare stage, no other start has found a tree.
  if (!is_alone) return {down};
  const Shape& shape = model.request.shape;
  const bool is_of_words = columns_of(shape) > 1 && !shape.has_pairs();
  if (is_of_words || model.mip.size() < stages_size) return {by_column, up, down};
  return with_others(down, {3, 5});
}

// If those fail, CBC with its heuristics finds a start more often.
Starts last_starts(const TreeModel& model) {
  const RelaxLimits up{.nodes = quick_nodes, .gap_part = quick_gap, .cuts = false};
  RelaxLimits other = up;
  if (is_tall(model))
    other.backwards = true;
  else
    other.columns = 1;
  return {other, up};
}

Starts long_starts(const TreeModel& model) {
  if (is_tall(model))
    return {{.nodes = 1000},
            {.backwards = true, .nodes = 1000},
            {.ahead = 1, .nodes = 1000},
            {.backwards = true, .ahead = 1, .nodes = 1000}};
  return {{.columns = 3, .nodes = 400}, {.columns = 2, .nodes = 400}, {.columns = 1, .nodes = 400}};
}

// The best of several starts made part by part. If all of them fail: a greedy start, or empty.
std::vector<double> started(const TreeModel& model, double bound, Search& search) {
  const SolveOptions& o = search.options();
  std::vector<double> best;
  const auto keep = [&](std::optional<std::vector<double>> x) {
    if (x && (best.empty() || model.mip.cost_of(*x) < model.mip.cost_of(best)))
      best = std::move(*x);
  };
  const auto try_greedy = [&] {
    if (model.chains != Chains::last)
      keep(greedy(model, search));  // it looks at one stage at a time
  };
  const auto try_all = [&](const Starts& starts) {
    std::vector<Search::Part> parts;
    for (RelaxLimits limits : starts) {
      limits.seed += o.seed - 1;
      if (o.seed > 1) limits.wrong = std::max(limits.wrong, slightly);
      parts.emplace_back(
          [&model, limits](Search& own) { return relax_and_fix(model, limits, own); });
    }
    for (auto& x : search.look(parts)) keep(std::move(x));
    if (!best.empty())
      search.report({model.stages, model.luts(model.mip.cost_of(best)), model.luts(bound), 1, 1});
  };
  if (!search.is_quick()) {
    try_all(long_starts(model));
    const bool is_large =
        model.mip.size() >= small_size || (!model.joins && model.request.shape.total() > tall_heap);
    if (best.empty() && (o.stages > 0 || is_large)) try_greedy();
    return best;
  }
  // Stage by stage is the quickest. For levels of LUTs in a wide heap it gives a good start.
  if (is_one_of_many(model, search) && model.chains == Chains::none && !is_tall(model)) {
    try_greedy();
    return best;
  }
  try_all(quick_starts(model, search));
  const bool goes_on = may_go_on(model, search);
  const bool is_given_up = model.chains == Chains::last && search.work() > work_of_last;
  if (best.empty() && !is_given_up && !goes_on) try_all(last_starts(model));
  if (best.empty() && (is_tall(model) || !goes_on)) try_greedy();
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
  std::vector<double> start;
  MipResult r;
  const bool cuts = !search.is_quick();
  if (!is_direct(model, search)) {
    // Solve the linear program first, to find an infeasible model before spending time on a start.
    r = relaxed(model, search);
    a.relaxed_ = r.bound;
    if (r.is_infeasible || (undercut && undercut->outdoes(r.bound))) return a;
    start = undercut && !is_tall(model) ? a.padded(*undercut) : started(model, r.bound, search);
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
  if (!r.is_proven && start.empty() && !in_vain) start = started(model, r.bound, search);
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

// Whether trees of another model, whose linear program costs `relaxed`, are not worth the time: one
// more stage gains about as much as its linear program does.
bool Attempt::outdoes(double relaxed) const {
  return relaxed >= cost() || (relaxed_ > 0 && relaxed > relaxed_ - relaxed_ / least_gain);
}

// A start for one more stage, if none is found quickly: the known tree plus an empty stage.
std::vector<double> Attempt::padded(const Attempt& of) {
  TreePlan plan = of.plan();
  plan.stages.resize(model_->stages);
  is_padded_ = true;
  return model_->encode(plan);
}

void Attempt::improve(Search& search, unsigned among) {
  if (!is_found() || is_proven_ || search.options().effort == 0 || search.is_stopped()) return;
  // For wide heaps, neighbourhoods find few better trees.
  const bool is_long = model_->mip.size() >= plain_size || is_one_of_many(*model_, search);
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
