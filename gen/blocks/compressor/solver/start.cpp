// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/start.h"

#include <algorithm>
#include <cmath>

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

// Heights without chains: a stage makes three bits in three columns of six bits, so it halves the
// height. Before the last stage the heights are 3, 6, 12 and so on.
std::vector<unsigned> doubling(unsigned stages) {
  std::vector<unsigned> caps;
  for (unsigned s = 1; s < stages; ++s) caps.push_back(3u << std::min(stages - 1 - s, 24u));
  return caps;
}

// A dive through the program of a stage takes several nodes a column.
constexpr int many_columns = 64;

// The stages of a tree, one after the other.
class Following {
 public:
  Following(const TreeModel& of, Search& search) : of_(of), search_(search), rest_(of.request) {
    plan_ = of.request;
    plan_.stages.clear();
  }
  unsigned height() const { return rest_.shape.height(); }
  const TreePlan& plan() const { return plan_; }
  // A stage that leaves no column higher than `cap`; 0: what the final adder takes.
  bool add_stage(unsigned cap) {
    const TreeModel model(rest_, 1, of_.elements, cap, of_.chains);
    const bool is_plain = search_.is_quick();
    const int columns = static_cast<int>(rest_.shape.width());
    MipLimits limits{.nodes = columns < many_columns ? 200 : 12 * columns,
                     .seed = search_.options().seed,
                     .gap = 2,
                     .cuts = !is_plain,
                     .is_plain = is_plain};
    auto r = search_.solve(model.mip, limits);
    if (is_plain && !of_.joins && !r.has_solution && !r.is_infeasible) {
      limits.is_plain = limits.heuristics = false;  // strong branching
      r = search_.solve(model.mip, limits);
    }
    if (!r.has_solution) return false;
    plan_.stages.push_back(model.decode(r.x).stages[0]);
    rest_.shape = next_shape(rest_.shape, plan_, static_cast<unsigned>(plan_.stages.size() - 1));
    return true;
  }

 private:
  const TreeModel& of_;
  Search& search_;
  TreePlan plan_, rest_;  // the heap that is left
};

std::optional<TreePlan> follow(const TreeModel& of, const std::vector<unsigned>& caps,
                               Search& search) {
  Following tree(of, search);
  for (const unsigned cap : caps)
    if (!tree.add_stage(cap)) return std::nullopt;
  if (!tree.add_stage(0)) return std::nullopt;
  return tree.plan();
}

// Every stage leaves as low a heap as it can.
std::optional<TreePlan> steepest(const TreeModel& of, Search& search) {
  Following tree(of, search);
  for (unsigned s = 1; s < of.stages; ++s) {
    const unsigned before = tree.height();
    unsigned cap = (before + 1) / 2;
    while (cap < before && !tree.add_stage(cap)) ++cap;
    if (cap == before) return std::nullopt;
  }
  if (!tree.add_stage(0)) return std::nullopt;
  return tree.plan();
}

}  // namespace

std::optional<TreePlan> greedy(const TreeModel& model, Search& search) {
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
  std::optional<TreePlan> best;
  for (const auto& caps : all) {
    auto plan = follow(model, caps, search);
    if (plan && (!best || audit(*plan).luts() < audit(*best).luts())) best = plan;
  }
  return best ? best : steepest(model, search);
}

}  // namespace kumiki::gen::compressor
