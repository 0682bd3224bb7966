// SPDX-License-Identifier: Apache-2.0
// Folds a graph into machines: every layer of products takes the fewest slices that keep the pace.
// Costs of layers add up and their clocks are independent. So the fewest slices for a pace are the
// fewest of each layer, and halving finds the best pace for a budget. Both are optimal among the
// listed foldings.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "gen/blocks/packing/planner.h"
#include "gen/layers/pipeline/lower.h"
#include "gen/layers/pipeline/plan.h"
#include "gen/layers/pipeline/request.h"

namespace kumiki::gen::pipeline {

struct FrontPoint {
  std::int64_t clocks = 0, slices = 0;
  std::int64_t tree_bits = 0;  // that compressor trees add in a clock
};

std::int64_t bits_of_trees(const PipelinePlan& plan);  // in a clock

// All foldings of a graph. Refusal: no machine implements a node, or a pace or a budget cannot be
// met. Plans come without queues.
class Folder {
 public:
  // `outside`: nodes whose weights are outside beside those that the request names.
  Folder(const Request& request, const packing::Limits& limits,
         const std::set<std::size_t>& outside = {});
  PipelinePlan of_clocks(std::int64_t clocks) const;  // at most so many, with the fewest slices
  PipelinePlan of_slices(std::int64_t slices) const;  // at most so many, with the fewest clocks
  // The Pareto front of clocks of a frame, slices and bits in trees, the fastest first.
  std::vector<FrontPoint> front() const;
  struct OnChip {
    std::shared_ptr<const Machine> machine;
    bool leave_by_maps;  // its numbers (foldings.h)
  };
  // For so many clocks, the layers whose weights are on the chip and can be outside, by node.
  std::map<std::size_t, OnChip> on_chip(std::int64_t clocks) const;

 private:
  std::shared_ptr<const graph::Graph> graph_;
  std::shared_ptr<const Foldings> foldings_;
};

// The plan for the requested clocks or slices.
PipelinePlan folded(const Request& request, const packing::Limits& limits);

}  // namespace kumiki::gen::pipeline
