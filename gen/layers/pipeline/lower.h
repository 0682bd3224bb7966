// SPDX-License-Identifier: Apache-2.0
// A streamed graph as machines: for every node those that do it, folded to a pace, and between them
// what changes the lanes of a stream.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "gen/blocks/packing/planner.h"
#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/convolution.h"
#include "gen/layers/pipeline/machines/depthwise.h"
#include "gen/layers/pipeline/machines/unrolled.h"
#include "gen/layers/pipeline/no_slice.h"
#include "gen/layers/pipeline/plan.h"
#include "ir/error.h"
#include "ir/remembered.h"

namespace kumiki::gen::pipeline {

// For a search over many paces machines are sketched: trees, which are searched for, are left out.
enum class Depth { sketch, whole };

// What can be known of a graph without a pace: found once, used for many. Machines as well: most of
// one pace are those of the next one, and a set of weights is large.
class Foldings {
 public:
  using Convolution = MachineOf<ConvolutionPlan, ConvolutionModel>;
  // A streamed graph, and those of its nodes that take no slice. NoMachine.
  Foldings(std::shared_ptr<const graph::Graph> graph, const packing::Limits& limits,
           const NoSlice& no_slice = {}, const ir::Context& context = {});
  Foldings(const Foldings&) = delete;  // searches remember what they have found
  const graph::Graph& graph() const { return *graph_; }
  const packing::Limits& limits() const { return limits_; }
  // Intervals of all foldings: paces at which something may change, the fastest first.
  std::vector<std::int64_t> paces() const;
  std::int64_t fastest(std::size_t node) const;  // interval of a Conv in slices
  // Numbers that each tensor can have.
  const std::vector<arith::Interval>& reached() const { return reached_; }
  // Of a Conv the machine with the fewest slices that keeps the pace, then with the fewest lanes;
  // null: none does.
  std::shared_ptr<const Convolution> best(std::size_t node, std::int64_t clocks, Depth depth) const;
  // The same of a Conv of every channel alone, a chain a lane.
  const DepthwisePlan* best_depthwise(std::size_t node, std::int64_t clocks) const;
  // Of a Conv in LUTs the layer with its numbers, if LUTs have a line for them; null: in slices.
  const UnrolledPlan::Layer* in_luts(std::size_t node) const;
  // That machine of a node that depends on nothing but what it reads: the plan is made when it is
  // asked for first.
  template <class Model, class MakePlan>
  std::shared_ptr<const Machine> kept(std::size_t node, const std::vector<Stream>& reads,
                                      MakePlan&& make_plan) const {
    auto& all = kept_[node];
    for (const Kept& k : all)
      if (k.reads == reads) return k.machine;
    all.push_back({reads, machine<Model>(make_plan())});
    return all.back().machine;
  }

 private:
  struct Kept {
    std::vector<Stream> reads;
    std::shared_ptr<const Machine> machine;
  };
  const std::shared_ptr<const Convolution>& folded(std::size_t node,
                                                   const ConvolutionFolding& folding,
                                                   Depth depth) const;
  std::shared_ptr<const graph::Graph> graph_;
  ColumnsOf made_in(std::size_t node, Depth depth) const;
  packing::Limits limits_;
  mutable PlannedColumns planned_;
  ir::Context context_;
  ir::Remembered trees_;
  std::set<std::size_t> in_trees_;
  std::map<std::size_t, std::vector<ConvolutionFolding>> of_node_;  // the fewest slices first
  std::map<std::size_t, std::vector<DepthwisePlan>> depthwise_;
  std::map<std::size_t, UnrolledPlan::Layer> in_luts_;
  std::vector<arith::Interval> reached_;
  // By node, and whether it is a sketch.
  mutable std::map<std::tuple<std::size_t, Fold, bool>, std::shared_ptr<const Convolution>> folded_;
  mutable std::map<std::size_t, std::vector<Kept>> kept_;
};

// A machine that cannot keep a pace, however it is folded, and the interval that it can.
struct TooSlow : DesignError {
  TooSlow(std::string who, std::int64_t clocks);
  std::string name;
  std::int64_t interval;
};

// The machines for a frame in so many clocks, without queues. NoMachine, TooSlow.
PipelinePlan lowered(const Foldings& foldings, std::int64_t clocks, Depth depth = Depth::whole);

}  // namespace kumiki::gen::pipeline
