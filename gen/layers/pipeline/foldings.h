// SPDX-License-Identifier: Apache-2.0
// What can be known of a streamed graph without a pace: how its layers can be folded, who reads
// whom, and machines. Found once, used for many paces: most machines of one pace are those of the
// next one, and a set of weights is large.
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
#include "gen/layers/pipeline/no_slice.h"
#include "gen/layers/pipeline/plan.h"
#include "gen/operators/add/machine.h"
#include "gen/operators/conv/convolution.h"
#include "gen/operators/conv/depthwise.h"
#include "gen/operators/conv/unrolled.h"
#include "ir/remembered.h"

namespace kumiki::gen::pipeline {

// The numbers of a tensor as they go by.
Stream stream_of(const graph::Tensor& tensor, std::int64_t lanes);

// For a search over many paces machines are sketched: trees, which are searched for, are left out.
enum class Depth { sketch, whole };

class Foldings {
 public:
  using Convolution = MachineOf<ConvolutionPlan, ConvolutionModel>;
  // A streamed graph, and those of its nodes that take no slice. NoMachine.
  Foldings(std::shared_ptr<const graph::Graph> graph, const packing::Limits& limits,
           const NoSlice& no_slice = {}, const ir::Context& context = {});
  Foldings(const Foldings&) = delete;  // searches remember what they have found
  const graph::Graph& graph() const { return *graph_; }
  // Intervals of all foldings: paces at which something may change, the fastest first.
  std::vector<std::int64_t> paces() const;
  std::int64_t fastest(std::size_t node) const;  // interval of a Conv in slices

  // Nodes that read a tensor.
  const std::vector<std::size_t>& readers(graph::TensorId id) const { return readers_[id]; }
  // Where the sums of a Conv or GlobalAverage are its numbers but for these (requantise_sums.h).
  const std::optional<std::vector<std::int64_t>>& offsets(std::size_t node) const;
  // The format in which the sums of a node go on, where they are its numbers as they are.
  std::optional<arith::Format> numbers(std::size_t node, const arith::Format& sums) const;
  // The Thresholds that alone read the sums of a node, which leave it as they are.
  std::optional<std::size_t> steps_behind(std::size_t node) const;

  // Of a Conv, those with the fewest slices first, then with the fewest products in trees; none of
  // another node, nor of a Conv in LUTs.
  const std::vector<ConvolutionFolding>& convolutions(std::size_t node) const;
  const std::shared_ptr<const Convolution>& folded(std::size_t node, const ConvolutionFolding& f,
                                                   Depth depth) const;
  Stream sums(std::size_t node, std::int64_t lanes) const;  // of a Conv that can be folded
  // Of a Conv of every channel alone, a chain a lane, the fewest slices first.
  const std::vector<DepthwisePlan>& depthwise(std::size_t node) const;
  // Of a Conv in LUTs the layer with its numbers, if LUTs have a line for them; null: in slices.
  const UnrolledPlan::Layer* in_luts(std::size_t node) const;

  // Of an Add. NoMachine.
  std::shared_ptr<const Machine> added(std::size_t node, const Stream& a, const Stream& b) const;
  std::shared_ptr<const Machine> requantised(std::size_t node, const Stream& sums) const;
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
  ColumnsOf made_in(std::size_t node, Depth depth) const;
  const arith::Format& sums_format(std::size_t node) const;

  std::shared_ptr<const graph::Graph> graph_;
  packing::Limits limits_;
  mutable PlannedColumns planned_;
  ir::Context context_;
  ir::Remembered trees_;
  std::set<std::size_t> in_trees_;
  std::vector<std::vector<std::size_t>> readers_;  // of each tensor
  std::map<std::size_t, std::vector<ConvolutionFolding>> of_node_;
  std::map<std::size_t, std::vector<DepthwisePlan>> depthwise_;
  std::map<std::size_t, UnrolledPlan::Layer> in_luts_;
  std::vector<arith::Interval> reached_;  // numbers that each tensor can have
  // By node, and whether it is a sketch.
  mutable std::map<std::tuple<std::size_t, Fold, bool>, std::shared_ptr<const Convolution>> folded_;
  mutable std::map<std::size_t, std::vector<Kept>> kept_;
  mutable std::map<std::size_t, std::optional<std::vector<std::int64_t>>> offsets_;
  mutable std::map<std::size_t, arith::Format> sums_;
};

}  // namespace kumiki::gen::pipeline
