// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/start.h"

#include <algorithm>
#include <cmath>

namespace kumiki::gen::compressor {
namespace {

unsigned height(const Shape& s) {
  unsigned h = 0;
  for (unsigned c = 0; c < s.width(); ++c) h = std::max(h, s.bits[c] + s.pairs[c]);
  return h;
}

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

std::optional<TreePlan> follow(const TreeModel& of, const std::vector<unsigned>& caps,
                               Search& search) {
  const TreePlan& request = of.request;
  TreePlan plan = request;
  plan.stages.clear();
  TreePlan rest = request;  // the heap that is left
  for (std::size_t s = 0; s <= caps.size(); ++s) {
    TreeModel model(rest, 1, of.elements, s < caps.size() ? caps[s] : 0, of.joins);
    auto r = search.solve(model.mip, {.nodes = 200,
                                      .seed = search.options().seed,
                                      .gap = 2,
                                      .cuts = !search.is_quick(),
                                      .is_plain = search.is_quick()});
    if (!r.has_solution) return std::nullopt;
    plan.stages.push_back(model.decode(r.x).stages[0]);
    auto level = next_shape(rest.shape, plan, static_cast<unsigned>(s));
    rest.shape = level;
  }
  return plan;
}

}  // namespace

std::optional<TreePlan> greedy(const TreeModel& model, Search& search) {
  const TreePlan& request = model.request;
  const unsigned stages = model.stages;
  const unsigned rows = final_rows(request);
  const unsigned from = height(request.shape);
  if (stages == 0 || from <= rows) return std::nullopt;
  std::vector<std::vector<unsigned>> all;
  for (double bend : {1.0, 0.9, 1.1, 0.8, 1.2}) all.push_back(heights(from, rows, stages, bend));
  if (!model.joins) all.push_back(doubling(stages));
  std::optional<TreePlan> best;
  for (const auto& caps : all) {
    auto plan = follow(model, caps, search);
    if (plan && (!best || audit(*plan).luts() < audit(*best).luts())) best = plan;
  }
  return best;
}

}  // namespace kumiki::gen::compressor
