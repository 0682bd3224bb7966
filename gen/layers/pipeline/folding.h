// SPDX-License-Identifier: Apache-2.0
// A graph as machines, folded: every layer of products as few slices as keep the pace. Costs of
// layers add up and their clocks do not meet, so the fewest slices for a pace are the fewest of
// each layer, and the best pace for a budget is found by halving: both are optimal among the
// foldings that are listed.
#pragma once
#include <memory>
#include <vector>

#include "gen/blocks/packing/planner.h"
#include "gen/layers/pipeline/lower.h"
#include "gen/layers/pipeline/plan.h"
#include "gen/layers/pipeline/request.h"

namespace kumiki::gen::pipeline {

struct FrontPoint {
  std::int64_t clocks = 0, slices = 0;
  std::int64_t in_trees = 0;  // products a clock in compressor trees
};

std::int64_t products_in_trees(const PipelinePlan& plan);  // a clock

// All foldings of a graph. Refusal: a node that no machine does, a pace or a budget that cannot be
// met. Plans are without queues.
class Folder {
 public:
  Folder(const Request& request, const packing::Limits& limits);
  PipelinePlan of_clocks(std::int64_t clocks) const;  // at most, with the fewest slices
  PipelinePlan of_slices(std::int64_t slices) const;  // at most, with the fewest clocks
  // Those that no other one beats: the fewest clocks of a frame for a number of slices and of
  // products in trees, the fastest first.
  std::vector<FrontPoint> front() const;

 private:
  std::shared_ptr<const graph::Graph> graph_;
  std::shared_ptr<const Foldings> foldings_;
};

// For the clocks or the slices of the request.
PipelinePlan folded(const Request& request, const packing::Limits& limits);

}  // namespace kumiki::gen::pipeline
