// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/start.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "gen/blocks/compressor/solver/relax.h"
#include "gen/blocks/compressor/solver/repeats.h"

namespace kumiki::gen::compressor {
namespace {

// Heights after every stage but the last: a geometric series that `bend` shifts towards the first
// or the last stage.
std::vector<unsigned> heights(unsigned from, unsigned to, unsigned stages, double bend) {
  std::vector<unsigned> caps;
  for (unsigned s = 1; s < stages; ++s) {
    double part = std::pow(double(s) / stages, bend);
    caps.push_back(
        static_cast<unsigned>(std::lround(from * std::pow(double(to) / from, part) + 0.3)));
  }
  return caps;
}

// Heights without chains. A stage turns six bits into three bits in three columns, so it halves the
// height. From the last stage backwards the heights are 3, 6, 12 and so on.
std::vector<unsigned> doubling(unsigned stages) {
  std::vector<unsigned> caps;
  for (unsigned s = 1; s < stages; ++s) caps.push_back(3u << std::min(stages - 1 - s, 24u));
  return caps;
}

// With this many columns a stage is solved column by column, and as a whole if that fails.
constexpr unsigned many_columns = 48;
constexpr RelaxLimits by_column{.columns = 1,
                                .horizon = 3,
                                .nodes = 60,
                                .gap_part = 0.002,
                                .cuts = false,
                                .heuristics = false,
                                .steps_back = 4};

// Solved programs, kept because trees begin with the same stages.
struct Programs {
  explicit Programs(Search& of)
      : search(of), is_quick(of.is_quick()), seed(of.options().seed), first(of), again(of) {}
  Search& search;
  bool is_quick;
  int seed;
  Repeats first, again;  // by plain branching, if the search is quick; and by strong branching
};

// The stages of a tree, one after the other.
class Following {
 public:
  Following(const TreeModel& of, Programs& programs)
      : of_(of), programs_(programs), rest_(of.request) {
    plan_ = of.request;
    plan_.stages.clear();
  }
  unsigned height() const { return rest_.shape.height(); }
  const TreePlan& plan() const { return plan_; }
  // Adds a stage that leaves no column higher than `cap`; 0: the rows of the final adder.
  bool add_stage(unsigned cap) {
    const TreeModel model(rest_, 1, of_.elements, cap, of_.chains);
    const auto x = solution(model);
    if (!x) return false;
    plan_.stages.push_back(model.decode(*x).stages[0]);
    rest_.shape = next_shape(rest_.shape, plan_, static_cast<unsigned>(plan_.stages.size() - 1));
    return true;
  }

 private:
  std::optional<std::vector<double>> solution(const TreeModel& model) {
    const bool is_plain = programs_.is_quick;
    if (is_plain && rest_.shape.width() >= many_columns)
      if (auto x = relax_and_fix(model, by_column, programs_.search)) return x;
    MipLimits limits{
        .nodes = 200, .seed = programs_.seed, .gap = 2, .cuts = !is_plain, .is_plain = is_plain};
    auto r = programs_.first.solve(model.mip, limits);
    if (is_plain && !of_.joins && !r.has_solution && !r.is_infeasible) {
      limits.is_plain = limits.heuristics = false;  // strong branching
      r = programs_.again.solve(model.mip, limits);
    }
    return r.has_solution ? std::optional(std::move(r.x)) : std::nullopt;
  }

  const TreeModel& of_;
  Programs& programs_;
  TreePlan plan_, rest_;  // `rest_`: the remaining heap
};

std::optional<TreePlan> follow(const TreeModel& of, const std::vector<unsigned>& caps,
                               Programs& programs) {
  Following tree(of, programs);
  for (const unsigned cap : caps)
    if (!tree.add_stage(cap)) return std::nullopt;
  if (!tree.add_stage(0)) return std::nullopt;
  return tree.plan();
}

// Every stage reduces the heap as far as it can.
std::optional<TreePlan> steepest(const TreeModel& of, Programs& programs) {
  Following tree(of, programs);
  for (unsigned s = 1; s < of.stages; ++s) {
    const unsigned before = tree.height();
    unsigned cap = (before + 1) / 2;
    while (cap < before && !tree.add_stage(cap)) ++cap;
    if (cap == before) return std::nullopt;
  }
  if (!tree.add_stage(0)) return std::nullopt;
  return tree.plan();
}

// The tree with the fewest LUTs among those with these heights.
std::optional<TreePlan> best_of(const TreeModel& model, std::span<const std::vector<unsigned>> all,
                                Search& search) {
  Programs programs(search);
  std::optional<TreePlan> best;
  for (const auto& caps : all) {
    auto plan = follow(model, caps, programs);
    if (plan && (!best || audit(*plan).luts() < audit(*best).luts())) best = std::move(plan);
  }
  return best;
}

}  // namespace

std::optional<std::vector<double>> greedy(const TreeModel& model, Search& search) {
  const TreePlan& request = model.request;
  const unsigned stages = model.stages;
  const unsigned rows = final_rows(request);
  const unsigned from = request.shape.height();
  if (stages == 0 || from <= rows) return std::nullopt;
  std::vector<std::vector<unsigned>> all;
  auto add = [&](std::vector<unsigned> caps) {
    if (std::ranges::find(all, caps) == all.end()) all.push_back(std::move(caps));
  };
  for (double bend : {1.0, 0.9, 1.1, 0.8, 1.2}) add(heights(from, rows, stages, bend));
  if (!model.joins) add(doubling(stages));
  const auto encoded = [&](const std::optional<TreePlan>& plan) {
    return plan ? std::optional(model.encode(*plan)) : std::nullopt;
  };
  // Each half is one part: heights with a similar bend share stages.
  const auto part = [&](std::span<const std::vector<unsigned>> some) -> Search::Part {
    return [&, some](Search& own) { return encoded(best_of(model, some, own)); };
  };
  const std::span<const std::vector<unsigned>> list(all);
  const std::size_t half = (all.size() + 1) / 2;
  std::optional<std::vector<double>> best;
  for (auto& x : search.look({part(list.first(half)), part(list.subspan(half))}))
    if (x && (!best || model.mip.cost_of(*x) < model.mip.cost_of(*best))) best = std::move(x);
  if (best) return best;
  Programs programs(search);
  return encoded(steepest(model, programs));
}

}  // namespace kumiki::gen::compressor
