// SPDX-License-Identifier: Apache-2.0
// A streamed graph as machines: for every node those that do it, folded to a pace, and between them
// what changes the lanes of a stream.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gen/blocks/packing/planner.h"
#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/convolution.h"
#include "gen/layers/pipeline/machines/depthwise.h"
#include "gen/layers/pipeline/machines/unrolled.h"
#include "gen/layers/pipeline/plan.h"
#include "ir/error.h"

namespace kumiki::gen::pipeline {

// What can be known of a graph without a pace: found once, used for many.
class Foldings {
 public:
  // A streamed graph, and those of its nodes that take no slice (in_luts.h). NoMachine.
  Foldings(std::shared_ptr<const graph::Graph> graph, const packing::Limits& limits,
           const std::set<std::size_t>& in_luts = {});
  const graph::Graph& graph() const { return *graph_; }
  const packing::Limits& limits() const { return limits_; }
  // Intervals of all foldings: paces at which something may change, the fastest first.
  std::vector<std::int64_t> paces() const;
  std::int64_t fastest(std::size_t node) const;  // interval of a Conv in slices
  // Of a Conv the plan with the fewest slices that keeps the pace, then with the fewest lanes;
  // null: none does.
  const ConvolutionPlan* best(std::size_t node, std::int64_t clocks) const;
  // The same of a Conv of every channel alone, a chain a lane.
  std::optional<DepthwisePlan> best_depthwise(std::size_t node, std::int64_t clocks) const;
  // Of a Conv in LUTs the layer with its numbers, if LUTs have a line for them; null: in slices.
  const UnrolledPlan::Layer* in_luts(std::size_t node) const;

 private:
  const ConvolutionPlan& plan_of(std::size_t node, const ConvolutionFolding& folding) const;
  std::shared_ptr<const graph::Graph> graph_;
  packing::Limits limits_;
  std::map<std::size_t, std::vector<ConvolutionFolding>> of_node_;  // the fewest slices first
  std::map<std::size_t, std::vector<DepthwisePlan>> depthwise_;
  std::map<std::size_t, UnrolledPlan::Layer> in_luts_;
  mutable std::map<std::array<std::int64_t, 3>, ConvolutionPlan> plans_;  // {node, rows, columns}
};

// A machine that cannot keep a pace, however it is folded, and the interval that it can.
struct TooSlow : DesignError {
  TooSlow(std::string who, std::int64_t clocks);
  std::string name;
  std::int64_t interval;
};

// The machines for a frame in so many clocks, without queues. NoMachine, TooSlow.
PipelinePlan lowered(const Foldings& foldings, std::int64_t clocks);

}  // namespace kumiki::gen::pipeline
