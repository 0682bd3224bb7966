// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/blocks/compressor/data/trees.h"
#include "gen/blocks/compressor/picture.h"
#include "gen/blocks/compressor/solver/solve.h"
#include "ir/error.h"
#include "ir/limits.h"

namespace kumiki::gen::compressor {

const std::vector<ShippedTree>& shipped_trees() {
  static const std::vector<ShippedTree> all = [] {
    std::vector<ShippedTree> trees;
    for (unsigned i = 0; i < data::entry_count; ++i)
      trees.push_back({std::string(data::entries[i].path), parse_tree(data::entries[i].text)});
    return trees;
  }();
  return all;
}

namespace {

// Whether a tree is for the heap of a request, for any objective.
bool is_of(const TreePlan& plan, const TreePlan& request) {
  return plan.shape == request.shape && plan.finish == request.finish &&
         plan.free_exits == request.free_exits;
}

}  // namespace

std::optional<TreePlan> shipped(const TreePlan& request) {
  for (const ShippedTree& t : shipped_trees())
    if (is_of(t.plan, request) && t.plan.objective == request.objective) return t.plan;
  return std::nullopt;
}

namespace {

// The trees shipped for the heap of a request, except those for the paper's metric.
std::vector<TreePlan> known(const TreePlan& request) {
  std::vector<TreePlan> all;
  for (const ShippedTree& t : shipped_trees())
    if (is_of(t.plan, request) && t.plan.objective != Objective::paper) all.push_back(t.plan);
  return all;
}

TreePlan watched(const TreePlan& request, SolveOptions options, ir::SearchWatcher* watcher) {
  if (!watcher) return solve(request, options);
  struct Ending {
    ir::SearchWatcher& of;
    ~Ending() { of.end(); }
  } ending{*watcher};
  watcher->begin(fmt::format("a compressor tree of {} bits in {} columns", request.shape.total(),
                             request.shape.width()));
  options.progress = [=](const SolveOptions::Progress& p) { return watcher->progress(p); };
  options.pulse = [=] { return watcher->pulse(); };
  if (watcher->is_enough()) options.effort = 0;
  TreePlan plan = solve(request, options);
  plan.is_stopped |= watcher->is_enough();
  return plan;
}

// The stored tree for this request, if it passes its audit: the store's text is not trusted.
std::optional<TreePlan> kept(ir::SearchStore& store, const std::string& key,
                             const TreePlan& request) {
  const auto text = store.find(key);
  if (!text) return std::nullopt;
  try {
    TreePlan plan = parse_tree(*text, &request.shape);
    (void)audit(plan);
    if (is_of(plan, request) && plan.objective == request.objective) return plan;
  } catch (const DesignError&) {
    // The text is not a valid tree: solve it again.
  }
  return std::nullopt;
}

}  // namespace

TreePlan plan_tree(const Shape& shape, const TreeOptions& o) {
  std::uint64_t bits = 0;
  for (const auto& columns : {shape.bits, shape.pairs})
    for (auto n : columns) bits += static_cast<std::uint64_t>(n);
  ir::require_at_most(o.context.limits.heap_bits, bits, "the heap of one compressor tree", "bits",
                      "--max-heap-bits");
  TreePlan request{
      .shape = shape, .finish = o.finish, .free_exits = o.pipeline == 1, .objective = o.objective};
  if (o.anew) {
    const SolveOptions options{.effort = o.effort,
                               .stages = o.anew->stages,
                               .seed = o.anew->seed,
                               .family = o.family,
                               .only_luts = o.only_luts};
    return watched(request, options, o.context.watcher);
  }
  if (auto ready = shipped(request)) return *ready;
  SolveOptions options{
      .effort = o.effort, .share = o.share, .family = o.family, .only_luts = o.only_luts};
  if (o.objective == Objective::area && !o.only_luts) options.known = known(request);
  ir::SearchStore* store = o.context.store;
  if (!store) return watched(request, options, o.context.watcher);
  const bool has_family = is_timed(o.objective) && o.family != ir::Family::series7;
  const std::string key =
      fmt::format("{}effort {}, share {}{}{}\n", to_text(request), o.effort, o.share,
                  o.only_luts ? ", only LUTs" : "",
                  has_family ? fmt::format(", {}", ir::family_name(o.family)) : "");
  if (auto ready = kept(*store, key, request)) return *ready;
  TreePlan solved = watched(request, options, o.context.watcher);
  if (!solved.is_stopped) store->keep(key, to_text(solved));
  return solved;
}

std::string tree_text(const TreePlan& plan) {
  const Audit a = audit(plan);
  std::string text = fmt::format(
      "tree         {} stages, {} LUTs and {} for the final adder, {} counters and chains, the "
      "longest of {} columns\n",
      plan.stages.size(), a.tree_luts, a.finish_luts, a.gpcs, a.longest_chain);
  if (plan.bound > 0)
    text += fmt::format("bound        {:g} LUTs{}\n", plan.bound,
                        plan.is_proven ? ": nothing smaller has so many stages" : "");
  if (plan.is_stopped)
    text += "stopped      the search was interrupted: the best tree that it had\n";
  return text + picture(plan);
}

arith::Certificate tree_certificate(const TreePlan& plan) {
  const Audit a = audit(plan);
  const auto& last = a.levels.back();
  const auto rows = last.all();
  const auto tall = std::ranges::find_if(rows, [](unsigned n) { return n > 1; });
  const auto first = static_cast<unsigned>(tall - rows.begin());  // where the chain begins
  unsigned most = 0;                                              // bits of any other column
  for (unsigned c = 0; c < rows.size(); ++c)
    if (c != first) most = std::max(most, rows[c]);
  arith::Certificate certificate;
  certificate.at_most("bits of a column for the final adder", most, final_rows(plan));
  if (tall != rows.end())
    certificate.at_most(fmt::format("bits of column {}, where its chain begins", first), *tall,
                        final_rows(plan) + 1);
  return certificate;
}

}  // namespace kumiki::gen::compressor
