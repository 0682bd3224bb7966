// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/folding.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "gen/layers/pipeline/lowering.h"
#include "gen/layers/pipeline/messages.h"
#include "gen/layers/pipeline/node_choices.h"
#include "gen/layers/pipeline/streamed.h"
#include "ir/interrupt.h"

namespace kumiki::gen::pipeline {

std::int64_t bits_of_trees(const PipelinePlan& p) {
  std::int64_t sum = 0;
  for (const Box& b : p.boxes)
    if (const auto* made = dynamic_cast<const Foldings::Convolution*>(b.machine.get()))
      sum += made->plan().matrix.bits_of_trees();
  return sum;
}

namespace {

// The smallest number of clocks, not below `clocks`, that every machine can keep.
std::int64_t first_legal(const Foldings& foldings, std::int64_t clocks) {
  for (;;) try {
      lowered(foldings, clocks, Depth::sketch);
      return clocks;
    } catch (const TooSlow& e) {
      clocks = e.interval;
    }
}

PipelinePlan lowered_or_refused(const Foldings& foldings, std::int64_t clocks) {
  try {
    return lowered(foldings, clocks);
  } catch (const TooSlow& e) {
    throw config::Refusal(
        {code::pipeline_too_slow, "clocks",
         fmt::format("is too few for {}, which takes at least {}", e.name, e.interval),
         fmt::format("must be at least {}", first_legal(foldings, e.interval))});
  }
}

// Slices by clocks. More clocks never take more slices or, for equal slices, more bits in
// trees. The reason: every layer is folded on its own, together with what follows it.
class SlicesOfClocks {
 public:
  explicit SlicesOfClocks(const Foldings& foldings)
      : foldings_(foldings), fastest_(first_legal(foldings, 1)), slowest_(fastest_) {
    // Lanes behind a convolution still get fewer after it has no slower folding.
    for (const std::int64_t pace : foldings.paces()) slowest_ = std::max(slowest_, 8 * pace);
  }
  std::int64_t fastest() const { return fastest_; }
  std::int64_t slowest() const { return slowest_; }
  std::int64_t operator()(std::int64_t clocks) const { return at(clocks).slices; }
  FrontPoint at(std::int64_t clocks) const {
    ir::stop_if_interrupted();
    const PipelinePlan plan = lowered(foldings_, clocks, Depth::sketch);
    return {clocks, plan.slices(), bits_of_trees(plan)};
  }
  // The fewest clocks of a frame with at most so many slices; the slowest pipeline must fit.
  std::int64_t first(std::int64_t slices) const {
    std::int64_t from = fastest_, to = slowest_;
    while (from < to) {
      const std::int64_t middle = std::midpoint(from, to);
      if ((*this)(middle) > slices)
        from = middle + 1;
      else
        to = middle;
    }
    return from;
  }

 private:
  const Foldings& foldings_;
  std::int64_t fastest_, slowest_;
};

// Adds every first clock with fewer slices or bits in trees than `many`, down to `few`.
void add_points(const SlicesOfClocks& slices_of, FrontPoint many, FrontPoint few,
                std::vector<FrontPoint>& points) {
  if (many.slices == few.slices && many.tree_bits == few.tree_bits) return;
  if (few.clocks - many.clocks == 1) {
    points.push_back(few);
    return;
  }
  const std::int64_t middle = std::midpoint(many.clocks, few.clocks);
  const FrontPoint between = slices_of.at(middle);
  add_points(slices_of, many, between, points);
  add_points(slices_of, between, few, points);
}

template <class Work>
auto refusing(Work&& work) {
  try {
    return work();
  } catch (const config::Refusal&) {
    throw;
  } catch (const DesignError& e) {
    throw config::Refusal(
        {e.code(), "graph", e.what(),
         "change the network, or use type pe_array, whose host does what no machine does", true});
  }
}

}  // namespace

Folder::Folder(const Request& r, const packing::Limits& limits,
               const std::set<std::size_t>& outside)
    : graph_(r.graph->graph) {
  refusing([&] {
    auto graph = std::make_shared<const graph::Graph>(streamed(*graph_));
    for (const graph::Node& n : graph->nodes)
      if (const auto* conv = std::get_if<graph::Conv>(&n.op))
        if (const auto why = why_wraps(*conv, graph->tensors[n.inputs[0]]); !why.empty())
          throw NoMachine(n, why);
    NodeChoices choices = node_choices(r, *graph);
    choices.outside.insert(outside.begin(), outside.end());
    foldings_ = std::make_shared<const Foldings>(std::move(graph), limits, choices, r.context);
  });
}

PipelinePlan Folder::of_clocks(std::int64_t clocks) const {
  PipelinePlan plan = refusing([&] { return lowered_or_refused(*foldings_, clocks); });
  plan.graph = graph_;
  return plan;
}

PipelinePlan Folder::of_slices(std::int64_t slices) const {
  return of_clocks(refusing([&] {
    const SlicesOfClocks slices_of(*foldings_);
    if (const auto needed = slices_of(slices_of.slowest()); needed > slices)
      throw config::Refusal({code::pipeline_too_slow, "slices",
                             fmt::format("is too few: the slowest pipeline takes {}", needed),
                             fmt::format("must be at least {}", needed)});
    return slices_of.first(slices);
  }));
}

std::vector<FrontPoint> Folder::front() const {
  return refusing([&] {
    const SlicesOfClocks slices_of(*foldings_);
    const FrontPoint fastest = slices_of.at(slices_of.fastest());
    const FrontPoint slowest = slices_of.at(slices_of.slowest());
    std::vector<FrontPoint> points{fastest};
    add_points(slices_of, fastest, slowest, points);
    return points;
  });
}

std::map<std::size_t, Folder::OnChip> Folder::on_chip(std::int64_t clocks) const {
  const Lowering lowering(*foldings_, clocks, Depth::whole);
  const graph::Graph& g = foldings_->graph();
  std::map<std::size_t, OnChip> all;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (!foldings_->convolutions(i).empty() && !foldings_->is_outside(i) &&
        why_not_outside(g, g.nodes[i]).empty())
      all[i] = {lowering.folded(i), foldings_->leave_by_maps(lowering.numbers_of(i))};
  return all;
}

PipelinePlan folded(const Request& r, const packing::Limits& limits) {
  const Folder folder(r, limits);
  return r.clocks ? folder.of_clocks(*r.clocks) : folder.of_slices(*r.slices);
}

}  // namespace kumiki::gen::pipeline
