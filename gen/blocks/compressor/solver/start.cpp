// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/start.h"

#include <algorithm>
#include <cmath>

#include "gen/blocks/compressor/solver/relax.h"

namespace kumiki::gen::compressor {
namespace {

// With this many columns a stage is solved column by column, and as a whole if that fails.
constexpr unsigned many_columns = 48;
constexpr RelaxLimits by_column{.columns = 1,
                                .horizon = 3,
                                .nodes = 60,
                                .gap_part = 0.002,
                                .cuts = false,
                                .heuristics = false,
                                .steps_back = 4};

// A stage that leaves no column of `heap` higher than `cap`; 0: the rows of the final adder.
std::optional<Stage> stage_of(const TreePlan& heap, const TreeModel& of, unsigned cap,
                              Search& search) {
  const TreeModel model(heap, 1, of.elements, cap, of.chains);
  const bool is_plain = search.is_quick();
  const auto decoded = [&](const std::vector<double>& x) { return model.decode(x).stages[0]; };
  if (is_plain && heap.shape.width() >= many_columns)
    if (const auto x = relax_and_fix(model, by_column, search)) return decoded(*x);
  MipLimits limits{.nodes = 200,
                   .seed = search.options().seed,
                   .gap = 2,
                   .cuts = !is_plain,
                   .is_plain = is_plain};
  MipResult r = search.solve(model.mip, limits);
  if (is_plain && !of.joins && !r.has_solution && !r.is_infeasible) {
    limits.is_plain = limits.heuristics = false;  // strong branching
    r = search.solve(model.mip, limits);
  }
  return r.has_solution ? std::optional(decoded(r.x)) : std::nullopt;
}

}  // namespace

std::optional<std::vector<double>> greedy(const TreeModel& model, Search& search) {
  if (model.stages == 0) return std::nullopt;
  TreePlan plan = model.request, rest = model.request;
  const auto add_stage = [&](unsigned cap) {
    auto stage = stage_of(rest, model, cap, search);
    if (!stage) return false;
    plan.stages.push_back(std::move(*stage));
    rest.shape = next_shape(rest.shape, plan, static_cast<unsigned>(plan.stages.size() - 1));
    return true;
  };
  // LUTs alone turn six bits into three, in three columns: from the last stage backwards the
  // heights are 3, 6, 12 and so on. With chains they are a geometric series, down to two rows.
  while (plan.stages.size() + 1 < model.stages) {
    const unsigned height = rest.shape.height();
    const unsigned left = model.stages - static_cast<unsigned>(plan.stages.size());
    const double series = std::ceil(height * std::pow(2.0 / height, 1.0 / left));
    unsigned cap = model.joins ? static_cast<unsigned>(series)
                               : std::min((height + 1) / 2, 3u << std::min(left - 2, 24u));
    while (cap < height && !add_stage(cap)) ++cap;
    if (cap == height) return std::nullopt;
  }
  if (!add_stage(0)) return std::nullopt;
  return model.encode(plan);
}

}  // namespace kumiki::gen::compressor
